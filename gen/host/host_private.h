/* SPDX-License-Identifier: MIT */
/*
 * host_private - the keys of a host's description, shared by what loads them and what describes them.
 */
#ifndef WRAPGEN_HOST_PRIVATE_H
#define WRAPGEN_HOST_PRIVATE_H

#include <cyaml/cyaml.h>

extern const cyaml_schema_field_t host_fields[];

#endif /* WRAPGEN_HOST_PRIVATE_H */
