/* SPDX-License-Identifier: MIT */
/*
 * share.h - what each library of a host gives share.cpp, and gets. Tensors are void *, since what they are is the
 * host's.
 */
#ifndef SHARE_H
#define SHARE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef void *(*ShareKernel)(void); /* the compiled function's result, new, as the host names it */

#define SHARE_EXPORTED __attribute__((visibility("default")))

/* Returns a state for the calls below. */
SHARE_EXPORTED void *share_make(ShareKernel kernel, void *x, void *y);

/* One call of the wrapper, and the release of its result. 0, or an error's code. */
SHARE_EXPORTED int share_call_add(void *state);
SHARE_EXPORTED int share_call_train(void *state);

#ifdef __cplusplus
}
#endif

#endif /* SHARE_H */
