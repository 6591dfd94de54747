/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_read.cpp - the verbs that read tensors: fields of a TensorImpl, as PyTorch's own C++ reads them.
 */
#include "wg_torch_inside.hpp"

#include <torch/csrc/autograd/variable.h>

namespace
{

/* What stands between a tensor and the kernels for strided memory, apart from its layout: ZeroTensor is autograd's own
 * zeros, which have no memory, and Batched is the batch that grad(is_grads_batched=True) makes. */
constexpr c10::DispatchKeySet foreign_keys({c10::DispatchKey::Python, c10::DispatchKey::FuncTorchBatched,
                                            c10::DispatchKey::FuncTorchGradWrapper, c10::DispatchKey::Functionalize,
                                            c10::DispatchKey::ZeroTensor, c10::DispatchKey::Batched});

bool is_strided(const c10::TensorImpl &self)
{
    return !self.key_set().has_any(foreign_keys) && !self.has_symbolic_sizes_strides() &&
           self.layout() == c10::kStrided && !self.key_set().has(c10::DispatchKey::NestedTensor);
}

/* What autograd knows of a tensor; null: nothing yet. */
const torch::autograd::AutogradMeta *known_of(const c10::TensorImpl &self)
{
    return static_cast<const torch::autograd::AutogradMeta *>(self.autograd_meta());
}

/* Could it have a forward-mode tangent, its own or its base's? PyTorch is asked only then, as its answer takes locks.
 */
bool may_have_tangent(const torch::autograd::AutogradMeta &known)
{
    if (known.fw_grad_ != nullptr || !known.is_view_) {
        return known.fw_grad_ != nullptr;
    }
    const auto &view = static_cast<const torch::autograd::DifferentiableViewMeta &>(known);
    const torch::autograd::AutogradMeta *base =
        view.has_fw_view() ? known_of(*view.get_forward_view().base_.unsafeGetTensorImpl()) : nullptr;
    return base != nullptr && base->fw_grad_ != nullptr;
}

bool is_plain(WgContext *ctx, const WgTensor *t)
{
    return is_strided(*wg_torch_impl(t)) && !wg_torch_has_tangent(t) &&
           (ctx->table->is_plain == nullptr || ctx->table->is_plain(ctx->table->user, t) != 0);
}

/* PyTorch's CPU has index -1 or 0; here it is 0. */
int32_t device_of(const c10::TensorImpl &self)
{
    const c10::Device device = self.device();
    return static_cast<int32_t>(device.type()) * 256 + (device.has_index() ? device.index() : 0);
}

int32_t dtype_of(const c10::TensorImpl &self)
{
    return static_cast<int32_t>(c10::typeMetaToScalarType(self.dtype()));
}

/* The sum of WgLazy. */
int64_t lazy_of(const c10::TensorImpl &self)
{
    return (self.key_set().has(c10::DispatchKey::Conjugate) ? WG_LAZY_CONJ : 0) +
           (self.key_set().has(c10::DispatchKey::Negative) ? WG_LAZY_NEG : 0);
}

/* Of a dimension that is a number, also where others are ragged. */
int64_t number_of(const c10::SymInt &value)
{
    const std::optional<int64_t> number = value.maybe_as_int();
    TORCH_CHECK(number.has_value(), "a size or stride is not a number: ", value);
    return *number;
}

bool is_symbolic(const c10::TensorImpl &self)
{
    return self.has_symbolic_sizes_strides() || self.layout() == c10::kJagged;
}

/* PyTorch's jagged tensors, whose own Python is asked about their sizes otherwise: it answers with what they were made
 * with, which is here. */
bool is_ragged(const c10::TensorImpl &self)
{
    return self.has_symbolic_sizes_strides() && self.key_set().has(c10::DispatchKey::NestedTensor);
}

/* A size or stride where not all of them are numbers: apart, since what can be thrown here would need room in every
 * call that reads a plain one. */
[[gnu::noinline]] int64_t size_among_symbols(const c10::TensorImpl &self, int32_t dimension)
{
    return number_of(is_ragged(self) ? self.sym_sizes_default().at(static_cast<size_t>(dimension))
                                     : self.sym_size(dimension));
}

[[gnu::noinline]] int64_t stride_among_symbols(const c10::TensorImpl &self, int32_t dimension)
{
    const size_t at = static_cast<size_t>(dimension);
    return number_of(is_ragged(self) ? self.sym_strides_default().at(at) : self.sym_strides()[at]);
}

/* Null for a tensor without elements. */
const void *address_of(const c10::TensorImpl &self)
{
    return self.is_empty() ? nullptr : self.data();
}

bool has_at(at::IntArrayRef numbers, size_t at, int64_t expected)
{
    return at < numbers.size() && numbers[at] == expected;
}

/* Of a strided tensor. */
bool holds(const c10::TensorImpl &self, const WgFact &fact)
{
    const size_t at = static_cast<size_t>(fact.dimension);
    switch (static_cast<WgRule>(fact.rule)) {
    case WG_RULE_DTYPE:
        return dtype_of(self) == fact.expected;
    case WG_RULE_RANK:
        return self.dim() == fact.expected;
    case WG_RULE_SIZE:
        return has_at(self.sizes(), at, fact.expected);
    case WG_RULE_STRIDE:
        return has_at(self.strides(), at, fact.expected);
    case WG_RULE_OFFSET:
        return self.storage_offset() == fact.expected;
    case WG_RULE_DEVICE:
        return device_of(self) == fact.expected;
    case WG_RULE_DEVICE_TYPE:
        return device_of(self) >> 8 == fact.expected;
    case WG_RULE_ALIGNMENT:
        return reinterpret_cast<uintptr_t>(address_of(self)) % static_cast<uintptr_t>(fact.expected) == 0;
    case WG_RULE_LAZY:
        return lazy_of(self) == fact.expected;
    }
    return false;
}

/* Of a strided tensor with elements: one past the highest, from the address of the first on, in bytes. */
size_t reach_of(const c10::TensorImpl &self)
{
    uint64_t reach = 1;
    for (size_t i = 0; i < self.sizes().size(); i++) {
        reach += static_cast<uint64_t>(self.sizes()[i] - 1) * static_cast<uint64_t>(self.strides()[i]);
    }
    return static_cast<size_t>(reach) * self.itemsize();
}

int64_t fact_of(const c10::TensorImpl &self, int32_t rule, int32_t dimension)
{
    const size_t at = static_cast<size_t>(dimension);
    switch (static_cast<WgRule>(rule)) {
    case WG_RULE_DTYPE:
        return dtype_of(self);
    case WG_RULE_RANK:
        return self.dim();
    case WG_RULE_SIZE:
        return at < self.sizes().size() ? self.sizes()[at] : -1;
    case WG_RULE_STRIDE:
        return at < self.strides().size() ? self.strides()[at] : -1;
    case WG_RULE_OFFSET:
        return self.storage_offset();
    case WG_RULE_DEVICE:
        return device_of(self);
    case WG_RULE_DEVICE_TYPE:
        return device_of(self) >> 8;
    case WG_RULE_ALIGNMENT:
        return static_cast<int64_t>(reinterpret_cast<uintptr_t>(address_of(self)));
    case WG_RULE_LAZY:
        return lazy_of(self);
    }
    return -1;
}

} // namespace

bool wg_torch_has_tangent(const WgTensor *t)
{
    const torch::autograd::AutogradMeta *known = known_of(*wg_torch_impl(t));
    return known != nullptr && may_have_tangent(*known) && WgTorchBorrowed(t)->_fw_grad(0).defined();
}

int32_t wg_rank(WgContext *ctx, const WgTensor *t)
{
    return wg_torch_read(ctx, -1, [t] {
        const c10::TensorImpl &self = *wg_torch_impl(t);
        return static_cast<int32_t>(is_ragged(self) ? self.dim_default() : self.dim());
    });
}

int64_t wg_size(WgContext *ctx, const WgTensor *t, int32_t dimension)
{
    return wg_torch_read<int64_t>(ctx, -1, [=] {
        const c10::TensorImpl &self = *wg_torch_impl(t);
        return is_symbolic(self) ? size_among_symbols(self, dimension) : self.size(dimension);
    });
}

int64_t wg_stride(WgContext *ctx, const WgTensor *t, int32_t dimension)
{
    return wg_torch_read<int64_t>(ctx, -1, [=] {
        const c10::TensorImpl &self = *wg_torch_impl(t);
        return is_symbolic(self) ? stride_among_symbols(self, dimension) : self.stride(dimension);
    });
}

const int64_t *wg_sizes(WgContext *ctx, const WgTensor *t)
{
    return wg_torch_read<const int64_t *>(ctx, nullptr, [t] { return wg_torch_impl(t)->sizes().data(); });
}

const int64_t *wg_strides(WgContext *ctx, const WgTensor *t)
{
    return wg_torch_read<const int64_t *>(ctx, nullptr, [t] { return wg_torch_impl(t)->strides().data(); });
}

int64_t wg_offset(WgContext *ctx, const WgTensor *t)
{
    return wg_torch_read<int64_t>(ctx, -1, [t] { return wg_torch_impl(t)->storage_offset(); });
}

int32_t wg_dtype(WgContext *ctx, const WgTensor *t)
{
    return wg_torch_read(ctx, -1, [t] { return dtype_of(*wg_torch_impl(t)); });
}

int32_t wg_device(WgContext *ctx, const WgTensor *t)
{
    return wg_torch_read(ctx, -1, [t] { return device_of(*wg_torch_impl(t)); });
}

void *wg_data(WgContext *ctx, const WgTensor *t)
{
    return wg_torch_read<void *>(ctx, nullptr, [t] {
        c10::TensorImpl *self = wg_torch_impl(t);
        return self->is_empty() ? nullptr : self->mutable_data();
    });
}

int wg_requires_grad(WgContext *ctx, const WgTensor *t)
{
    return wg_torch_read(ctx, 0, [t] { return wg_torch_impl(t)->requires_grad() ? 1 : 0; });
}

int32_t wg_lazy(WgContext *ctx, const WgTensor *t)
{
    return wg_torch_read(ctx, 0, [t] { return static_cast<int32_t>(lazy_of(*wg_torch_impl(t))); });
}

int wg_is_plain(WgContext *ctx, const WgTensor *t)
{
    return wg_torch_read(ctx, 0, [=] { return is_plain(ctx, t) ? 1 : 0; });
}

int wg_matches(WgContext *ctx, const WgTensor *t, const WgFact *facts, size_t num_facts)
{
    return wg_torch_read(ctx, 0, [=] {
        bool all = is_plain(ctx, t);
        for (size_t i = 0; i < num_facts && all; i++) {
            all = holds(*wg_torch_impl(t), facts[i]);
        }
        return all ? 1 : 0;
    });
}

/* The sizes of a plain tensor are numbers, whatever the program says. */
int wg_symbol(WgContext *ctx, const WgTensor *t, int32_t dimension, int of_stride, WgSymbol *symbol)
{
    const WgTorchTable *table = ctx->table;
    if (table->symbol == nullptr || wg_is_plain(ctx, t)) {
        return 0;
    }
    return table->symbol(table->user, t, dimension, of_stride, symbol);
}

int64_t wg_nested_int(WgContext *ctx, const WgTensor *t)
{
    return wg_torch_read<int64_t>(ctx, 0, [=] {
        TORCH_CHECK(ctx->table->nested_int != nullptr, "the program has no function for nested ints (WgTorchTable)");
        return ctx->table->nested_int(ctx->table->user, t);
    });
}

int wg_is_view(WgContext *ctx, const WgTensor *t)
{
    return wg_torch_read(ctx, 0, [t] { return WgTorchBorrowed(t)->is_view() ? 1 : 0; });
}

int wg_is_type(WgContext *ctx, const WgTensor *t, const WgType *type)
{
    const WgTorchTable *table = ctx->table;
    return table->is_type == nullptr ? 0 : wg_torch_read(ctx, 0, [=] { return table->is_type(table->user, t, type); });
}

int wg_has_context(WgContext *ctx, const WgTensor *t, const void *type_context)
{
    const WgTorchTable *table = ctx->table;
    return table->has_context == nullptr
               ? 0
               : wg_torch_read(ctx, 0, [=] { return table->has_context(table->user, t, type_context); });
}

WgByteRange wg_byte_range(WgContext *ctx, const WgTensor *t)
{
    return wg_torch_read(ctx, WgByteRange{0, 0}, [t] {
        const c10::TensorImpl &self = *wg_torch_impl(t);
        const uintptr_t first = reinterpret_cast<uintptr_t>(address_of(self));
        return first == 0 ? WgByteRange{0, 0} : WgByteRange{first, first + reach_of(self)};
    });
}

int wg_same_storage(WgContext *ctx, const WgTensor *a, const WgTensor *b)
{
    return wg_torch_read(ctx, 0, [=] {
        const c10::TensorImpl &first = *wg_torch_impl(a);
        const c10::TensorImpl &second = *wg_torch_impl(b);
        const bool have_storage = first.has_storage() && second.has_storage();
        return have_storage ? (first.storage().is_alias_of(second.storage()) ? 1 : 0) : (a == b ? 1 : 0);
    });
}

int64_t wg_version(WgContext *ctx, const WgTensor *t)
{
    return wg_torch_read<int64_t>(ctx, 0, [t] {
        c10::TensorImpl &self = *wg_torch_impl(t);
        return self.is_inference() ? 0 : static_cast<int64_t>(self.version_counter().current_version());
    });
}

/* Only errors need this, and then it does not matter that PyTorch refuses to answer. */
int64_t wg_host_fact(WgContext *ctx, const WgTensor *tensor, int32_t rule, int32_t dimension)
{
    const int32_t pending = ctx->pending;
    const int64_t found =
        wg_torch_read<int64_t>(ctx, -1, [=] { return fact_of(*wg_torch_impl(tensor), rule, dimension); });
    ctx->pending = pending;
    return found;
}
