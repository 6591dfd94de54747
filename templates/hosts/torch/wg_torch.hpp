/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch.hpp - the torch host seen from C++: tensors under both names, and exceptions. For compiled functions and
 * programs in C++; generated code needs wg_torch.h alone.
 */
#ifndef WG_TORCH_HPP
#define WG_TORCH_HPP

#include <ATen/core/Tensor.h>

#include <exception>
#include <utility>
#include <vector>

#include "wg_torch.h"

/* The same object under its other name. */
inline c10::TensorImpl *wg_torch_impl(const WgTensor *t)
{
    return reinterpret_cast<c10::TensorImpl *>(const_cast<WgTensor *>(t));
}

inline WgTensor *wg_torch_name(c10::TensorImpl *impl)
{
    return reinterpret_cast<WgTensor *>(impl);
}

/* For as long as `tensor` lives: no reference is counted. Null for an undefined one. */
inline WgTensor *wg_torch_lend(const at::Tensor &tensor)
{
    return tensor.defined() ? wg_torch_name(tensor.unsafeGetTensorImpl()) : nullptr;
}

/* An owned reference out of a tensor, null for an undefined one; and the tensor out of an owned reference. */
inline WgTensor *wg_torch_give(at::Tensor tensor)
{
    return tensor.defined() ? wg_torch_name(tensor.unsafeReleaseTensorImpl()) : nullptr;
}

inline at::Tensor wg_torch_take(WgTensor *t)
{
    using Pointer = c10::intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;
    return t == nullptr ? at::Tensor() : at::Tensor(Pointer::reclaim(wg_torch_impl(t)));
}

/* A tensor to call methods of, without a reference of its own: what it names must outlive it. */
class WgTorchBorrowed
{
  public:
    explicit WgTorchBorrowed(const WgTensor *t) : tensor(wg_torch_take(const_cast<WgTensor *>(t)))
    {
    }
    ~WgTorchBorrowed()
    {
        (void)wg_torch_give(std::move(tensor));
    }
    WgTorchBorrowed(const WgTorchBorrowed &) = delete;
    WgTorchBorrowed &operator=(const WgTorchBorrowed &) = delete;
    const at::Tensor &operator*() const
    {
        return tensor;
    }
    const at::Tensor *operator->() const
    {
        return &tensor;
    }

  private:
    at::Tensor tensor;
};

/* Does it have a forward-mode tangent (torch.autograd.forward_ad)? What is compiled would drop it. A few reads where
 * there is none. Throws. */
bool wg_torch_has_tangent(const WgTensor *t);

/* For a catch block: keeps the exception that is being handled, and its text, in the context, and returns the status
 * for it. A compiled function in C++ ends with it. */
int32_t wg_torch_caught(WgContext *ctx) noexcept;

/* The exception that caused the last failure, null when there was none. */
std::exception_ptr wg_torch_exception(const WgContext *ctx) noexcept;

/* Runs an open model, which takes the tensors. A result may be undefined: a gradient that is not there. Throws. */
std::vector<at::Tensor> wg_torch_run_model(const WgModel *model, std::vector<at::Tensor> &&inputs);

#endif /* WG_TORCH_HPP */
