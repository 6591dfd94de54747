/* SPDX-License-Identifier: 0BSD */
/*
 * wg_aoti_torch.h - the part of libtorch's stable C ABI that the aoti host calls, in C.
 *
 * libtorch's own headers (torch/csrc/inductor/aoti_torch/c/shim.h, torch/csrc/stable/c/shim.h) are C++, so the
 * functions of PyTorch 2.13 are declared again here; a test includes both in one C++ file, where a difference is an
 * error. The oldest libtorch that has all of them is 2.13 (torch_new_stable_ivalue).
 *
 * Status: 0, or not 0 with a text from torch_exception_get_what(). A handle is an at::Tensor on the heap: several may
 * mean the same tensor object, and each is deleted once. A StableIValue is 64 bits whose meaning the operator's schema
 * determines.
 */
#ifndef WG_AOTI_TORCH_H
#define WG_AOTI_TORCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct AtenTensorOpaque;
struct StableListOpaque;

int32_t aoti_torch_new_tensor_handle(struct AtenTensorOpaque *tensor, struct AtenTensorOpaque **ret_new);
int32_t aoti_torch_delete_tensor_object(struct AtenTensorOpaque *tensor);

/* Reads. The pointers of sizes and strides are the tensor object's own, until its next metadata mutation. */
int32_t aoti_torch_get_dim(struct AtenTensorOpaque *tensor, int64_t *ret_dim);
int32_t aoti_torch_get_size(struct AtenTensorOpaque *tensor, int64_t dimension, int64_t *ret_size);
int32_t aoti_torch_get_stride(struct AtenTensorOpaque *tensor, int64_t dimension, int64_t *ret_stride);
int32_t aoti_torch_get_sizes(struct AtenTensorOpaque *tensor, int64_t **ret_sizes);
int32_t aoti_torch_get_strides(struct AtenTensorOpaque *tensor, int64_t **ret_strides);
int32_t aoti_torch_get_storage_offset(struct AtenTensorOpaque *tensor, int64_t *ret_storage_offset);
int32_t aoti_torch_get_storage_size(struct AtenTensorOpaque *tensor, int64_t *ret_bytes);
int32_t aoti_torch_get_dtype(struct AtenTensorOpaque *tensor, int32_t *ret_dtype);
int32_t aoti_torch_get_device_type(struct AtenTensorOpaque *tensor, int32_t *ret_device_type);
int32_t aoti_torch_get_device_index(struct AtenTensorOpaque *tensor, int32_t *ret_device_index);
int32_t aoti_torch_get_layout(struct AtenTensorOpaque *tensor, int32_t *ret_layout);
int32_t aoti_torch_get_data_ptr(struct AtenTensorOpaque *tensor, void **ret_data);
int32_t torch_get_const_data_ptr(struct AtenTensorOpaque *tensor, const void **ret_data);
int32_t aoti_torch_layout_strided(void);
int32_t aoti_torch_memory_format_contiguous_format(void);
int32_t aoti_torch_memory_format_channels_last(void);
int32_t aoti_torch_memory_format_channels_last_3d(void);
size_t aoti_torch_dtype_element_size(int32_t dtype);

/* New tensors. reinterpret: the same storage, its own version counter, unknown to autograd; offset is ADDED. */
int32_t aoti_torch__reinterpret_tensor(struct AtenTensorOpaque *tensor, int64_t rank, const int64_t *sizes,
                                       const int64_t *strides, int64_t offset_increment,
                                       struct AtenTensorOpaque **ret_new);
int32_t aoti_torch_as_strided(struct AtenTensorOpaque *tensor, const int64_t *sizes, const int64_t *strides,
                              struct AtenTensorOpaque **ret_new); /* of the same rank and offset, known to autograd */
int32_t aoti_torch_empty_strided(int64_t rank, const int64_t *sizes, const int64_t *strides, int32_t dtype,
                                 int32_t device_type, int32_t device_index, struct AtenTensorOpaque **ret_new);
int32_t torch_from_blob(void *data, int64_t rank, const int64_t *sizes, const int64_t *strides, int64_t storage_offset,
                        int32_t dtype, int32_t device_type, int32_t device_index, struct AtenTensorOpaque **ret,
                        int32_t layout, const uint8_t *opaque_metadata, int64_t opaque_metadata_size,
                        void (*deleter)(void *data, void *user), void *user);

int32_t aoti_torch_zero_(struct AtenTensorOpaque *tensor);
int32_t aoti_torch_copy_(struct AtenTensorOpaque *dst, struct AtenTensorOpaque *src, int32_t non_blocking);
int32_t torch_set_requires_grad(struct AtenTensorOpaque *tensor, bool requires_grad);
bool aoti_torch_grad_mode_is_enabled(void);
void aoti_torch_grad_mode_set_enabled(bool enabled);

/* Any operator. The stack holds every argument of the schema, including those with defaults; tensors and lists in it
 * are taken, even when the operator fails [verified: tests/torch/aoti]; owned results replace them. */
int32_t torch_call_dispatcher(const char *name, const char *overload, uint64_t *stack, uint64_t built_for);
int32_t torch_new_list_reserve_size(size_t n, struct StableListOpaque **ret);
int32_t torch_list_push_back(struct StableListOpaque *list, uint64_t element);
int32_t torch_delete_list(struct StableListOpaque *list);
int32_t torch_new_stable_ivalue(uint64_t **ret); /* what an optional argument points to when it is present */
int32_t torch_delete_stable_ivalue(uint64_t *value);
const char *torch_exception_get_what_without_backtrace(void); /* of this thread, until its next exception */

#ifdef __cplusplus
}
#endif

#endif /* WG_AOTI_TORCH_H */
