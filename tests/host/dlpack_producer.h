/* SPDX-License-Identifier: MIT */
/* dlpack_producer.h - a producer of DLPack for tests, which counts how often its deleter is called. */
#ifndef DLPACK_PRODUCER_H
#define DLPACK_PRODUCER_H

#include <string.h>

#include "wg_dlpack_abi.h"

typedef struct Producer {
    DLManagedTensorVersioned versioned;
    DLManagedTensor unversioned;
    int num_deleted;
    int64_t shape[4];
    int64_t strides[4];
    float elements[24];
} Producer;

static inline void delete_versioned(DLManagedTensorVersioned *self)
{
    ((Producer *)self->manager_ctx)->num_deleted++;
}

static inline void delete_unversioned(DLManagedTensor *self)
{
    ((Producer *)self->manager_ctx)->num_deleted++;
}

/* float32[2, 3], compact, with the elements 0, 1, ...; the test changes what it is about. */
static inline DLTensor *produce(Producer *producer)
{
    memset(producer, 0, sizeof *producer);
    for (int i = 0; i < 24; i++) {
        producer->elements[i] = (float)i;
    }
    producer->shape[0] = 2;
    producer->shape[1] = 3;
    producer->strides[0] = 3;
    producer->strides[1] = 1;
    const DLTensor tensor = {producer->elements, {kDLCPU, 0},       2, {kDLFloat, 32, 1},
                             producer->shape,    producer->strides, 0};
    producer->versioned.version.major = 1;
    producer->versioned.manager_ctx = producer;
    producer->versioned.deleter = delete_versioned;
    producer->versioned.dl_tensor = tensor;
    producer->unversioned.manager_ctx = producer;
    producer->unversioned.deleter = delete_unversioned;
    producer->unversioned.dl_tensor = tensor;
    return &producer->versioned.dl_tensor;
}

#endif /* DLPACK_PRODUCER_H */
