/* SPDX-License-Identifier: MIT */
/*
 * random - numbers that depend on the seed alone (splitmix64, Steele, Lea and Flood 2014), the same on every machine.
 */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Random {
    uint64_t state;
} Random;

static inline uint64_t random_next(Random *random)
{
    uint64_t z = random->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* A generator of its own for (seed, purpose): what one draws does not move what another does. */
static inline Random random_from(uint64_t seed, uint64_t purpose)
{
    Random random = {seed * UINT64_C(0xD1342543DE82EF95) + purpose};
    random.state = random_next(&random);
    return random;
}

/* 0 ... n - 1; n > 0 */
static inline uint32_t random_below(Random *random, uint32_t n)
{
    return (uint32_t)(random_next(random) % n);
}

static inline bool random_chance(Random *random, uint32_t percent)
{
    return random_below(random, 100) < percent;
}

#endif /* RANDOM_H */
