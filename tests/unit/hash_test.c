/* SPDX-License-Identifier: MIT */
/*
 * The hash of keys against the reference: results of XXH3_64bits (libxxhash 0.8.1) for the little-endian bytes of words
 * made by Marsaglia's xorshift64 (13, 7, 17) from 88172645463325252. The lengths are on both sides of each border of
 * the algorithm: 0, 1..2, 3..16, 17..30, beyond; and of its blocks of 128 words.
 */
#include "../../templates/core/wg_hash.h"
#include "check.h"

int main(void)
{
    static const struct {
        size_t n;
        uint64_t hash;
    } expected[] = {
        {0, UINT64_C(0x2d06800538d394c2)},   {1, UINT64_C(0x60410ef13fde802a)},   {2, UINT64_C(0xde7d95d90e23e986)},
        {3, UINT64_C(0xb9f3dd67c87935f1)},   {5, UINT64_C(0xc44c8aa9abde5ebc)},   {16, UINT64_C(0x81a25a920d772d76)},
        {17, UINT64_C(0x3c057b9b5d8a3f76)},  {30, UINT64_C(0x2364fd868f077ae3)},  {31, UINT64_C(0x756928bf735de283)},
        {128, UINT64_C(0xeaff172e20a34fb2)}, {129, UINT64_C(0x154090a2c2e0b933)}, {257, UINT64_C(0x5db8235067adcc1e)},
    };
    uint64_t words[257];
    uint64_t state = UINT64_C(88172645463325252);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        words[i] = state;
    }
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        check(wg_hash(words, expected[i].n) == expected[i].hash, "XXH3 of %zu words", expected[i].n);
    }
    check(wg_hash_known(words, 5) == expected[4].hash && wg_hash_known(words, 30) == expected[7].hash,
          "and where their number is known");
    return check_done();
}
