/* SPDX-License-Identifier: MIT */
/* observe.h - see observe.c. */
#ifndef BENCH_OBSERVE_H
#define BENCH_OBSERVE_H

/* TAP for every case; 0 when all contestants agree everywhere. */
int observe_all(void);

#endif /* BENCH_OBSERVE_H */
