/* SPDX-License-Identifier: MIT */
/*
 * table.h - the functions that libtorch's C ABI lacks, for programs that may build one file of C++ with libtorch's
 * headers: pass it to wg_context_create().
 */
#ifndef TABLE_H
#define TABLE_H

#include "wg_aoti.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const WgAotiTable torch_table;

#ifdef __cplusplus
}
#endif

#endif /* TABLE_H */
