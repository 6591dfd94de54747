/* SPDX-License-Identifier: MIT */
/*
 * hash - FNV-1a, 64 bits (Fowler, Noll, Vo): tells in a banner from which bytes an output came. It finds stale files;
 * it is not a protection against deliberate collisions.
 */
#ifndef WRAPGEN_HASH_H
#define WRAPGEN_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct Hash {
    uint64_t value;
} Hash;

static inline Hash hash_start(void)
{
    return (Hash){UINT64_C(0xcbf29ce484222325)};
}

/* Several texts are chained: the result is the hash of their concatenation. */
static inline Hash hash_add(Hash hash, const char *data, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        hash.value = (hash.value ^ (unsigned char)data[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

#endif /* WRAPGEN_HASH_H */
