/* SPDX-License-Identifier: MIT */
/* driver.h - what the drivers of tests/prove/core share: values that can be anything. */
#ifndef WG_PROVE_DRIVER_H
#define WG_PROVE_DRIVER_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "wg_core.h"

/*@ assigns \result \from \nothing;
  @ ensures 0 <= \result <= 1; */
int any_bool(void);

/*@ assigns \result \from \nothing; */
int64_t any_integer(void);

/*@ assigns \result \from \nothing; */
uint64_t any_bits(void);

/*@ assigns \result \from \nothing; */
double any_real(void);

/*@ requires least <= most;
  @ assigns \result \from least, most;
  @ ensures least <= \result <= most; */
int64_t any_from(int64_t least, int64_t most);

/*@ requires n == 0 || \valid(words + (0 .. n - 1));
  @ assigns words[0 .. n - 1] \from n;
  @ ensures n == 0 || \initialized(words + (0 .. n - 1)); */
void any_words(uint64_t *words, size_t n);

#endif
