/* SPDX-License-Identifier: 0BSD */
/* wg_status.h - what each WgStatus is about, in the words of messages. For wg_cold.c. */
#ifndef WG_STATUS_H
#define WG_STATUS_H

/* number, what the error is about */
#define WG_STATUSES(X)                                                                                                 \
    X(WG_OK, "no error")                                                                                               \
    X(WG_E_NULL, "is a null pointer")                                                                                  \
    X(WG_E_COUNT, "number of values")                                                                                  \
    X(WG_E_TYPE, "tensor type")                                                                                        \
    X(WG_E_DTYPE, "dtype")                                                                                             \
    X(WG_E_RANK, "number of dimensions")                                                                               \
    X(WG_E_SIZE, "size")                                                                                               \
    X(WG_E_STRIDE, "stride")                                                                                           \
    X(WG_E_OFFSET, "storage offset")                                                                                   \
    X(WG_E_DEVICE, "device")                                                                                           \
    X(WG_E_ALIGNMENT, "alignment of the data pointer")                                                                 \
    X(WG_E_OVERLAP, "is mutated and shares memory with another input")                                                 \
    X(WG_E_VALUE, "value")                                                                                             \
    X(WG_E_SYMBOL, "symbolic integer out of bounds")                                                                   \
    X(WG_E_OVERFLOW, "overflow or division by zero in a size expression")                                              \
    X(WG_E_IDENTITY, "arguments that must be one object are not")                                                      \
    X(WG_E_GRAD, "requires grad and must not")                                                                         \
    X(WG_E_OUTPUTS, "number of values that the compiled function returned")                                            \
    X(WG_E_RESULT, "value that the compiled function returned")                                                        \
    X(WG_E_COMPILED, "the compiled function failed")                                                                   \
    X(WG_E_HOST, "an operation of the tensor library failed")                                                          \
    X(WG_E_SCRATCH, "scratch space of the context")                                                                    \
    X(WG_E_VERSION, "modified after it was saved: version")                                                            \
    X(WG_E_MODE, "mode that this call does not allow")                                                                 \
    X(WG_E_NO_VARIANT, "no kernel variant accepts the arguments")                                                      \
    X(WG_E_STREAM, "mutation of an input that has a user-specified stream")                                            \
    X(WG_E_SPENT, "a backward has used up what was saved")                                                             \
    X(WG_E_GUARD, "condition on sizes does not hold")                                                                  \
    X(WG_E_LAZY, "lazy conjugation and negation")                                                                      \
    X(WG_E_INTERNAL, "a state that cannot be reached")

#endif /* WG_STATUS_H */
