/* SPDX-License-Identifier: 0BSD */
/*
 * wg_key.h - what generated kernels (keys and dispatchers) share. Included behind the host's header: what is here may
 * use its verbs. Graphs do not need it.
 */
#ifndef WG_KEY_H
#define WG_KEY_H

#include "wg_core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An int32_t out of an array of values; what does not fit becomes -1, which no bool, dtype or device is. */
static inline int32_t wg_narrow(int64_t integer)
{
    return integer < INT32_MIN || integer > INT32_MAX ? -1 : (int32_t)integer;
}

#ifdef __cplusplus
}
#endif

#endif /* WG_KEY_H */
