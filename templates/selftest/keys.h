/* SPDX-License-Identifier: MIT */
/*
 * keys - the keys of each mapping of the YAML as an enum, "SpecWhen_dtype": a switch over one of these does not compile
 * while a key of schema/spec.def has no case in it.
 */
#ifndef SELFTEST_KEYS_H
#define SELFTEST_KEYS_H

/* clang-format off */
#define MAPPING(Type, text) typedef enum Type##Key {
#define FIELD(Type, key, member, type, of, root, presence, text) Type##_##member,
#define END(Type) Type##_END } Type##Key;
#include "../../schema/spec.def"
/* clang-format on */

#endif /* SELFTEST_KEYS_H */
