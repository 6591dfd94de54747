/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_node.cpp - training graphs: a call, and the node that it leaves behind. What PyTorch does in each case was
 * read off AOTAutograd's CompiledFunction, which is a torch.autograd.Function, and is tested by tests/torch/cpp.
 */
#include "wg_torch_saved.hpp"

#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/functions/basic_ops.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/graph_task.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <memory>

namespace
{

using torch::autograd::Node;
using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

const char no_second_derivative[] = "torch.compile with aot_autograd does not currently support double backward";
const char donated_twice[] =
    "This backward function was compiled with non-empty donated buffers which requires create_graph=False and "
    "retain_graph=False. Please keep backward(create_graph=False, retain_graph=False) across all backward() function "
    "calls, or set torch._functorch.config.donated_buffer=False to disable donated buffer.";

struct DestroyContext {
    void operator()(WgContext *ctx) const
    {
        wg_context_destroy(ctx);
    }
};

using OwnContext = std::unique_ptr<WgContext, DestroyContext>;

/* A context for the thread that runs a backward. */
OwnContext new_context(const WgTorchTable *table, size_t scratch)
{
    WgContext *ctx = nullptr;
    int32_t status = wg_context_create(table, &ctx);
    OwnContext own(ctx);
    status = status == WG_TORCH_OK && scratch > 0 ? wg_context_reserve(ctx, scratch) : status;
    TORCH_CHECK(status == WG_TORCH_OK, "no context for the backward: ", wg_torch_code_text(status));
    return own;
}

/* Throws what made a wrapper fail: the exception itself where there was one, or the error's text. */
[[noreturn]] void raise_error(const WgContext *ctx)
{
    const WgError *error = wg_error(ctx);
    const bool is_passed_on = error->status == WG_E_HOST || error->status == WG_E_COMPILED;
    if (is_passed_on && wg_torch_exception(ctx) != nullptr) {
        std::rethrow_exception(wg_torch_exception(ctx));
    }
    std::string text(wg_error_text(error, nullptr, 0) + 1, '\0');
    (void)wg_error_text(error, text.data(), text.size());
    text.pop_back();
    TORCH_CHECK(false, text);
}

/* ---- the node ---- */

class TrainingNode : public Node
{
  public:
    TrainingNode(const WgTorchTraining &of, const WgContext &ctx)
        : graph(of), saved(of), table(ctx.table), scratch(ctx.scratch_capacity)
    {
        if (table->hold != nullptr) {
            table->hold(table->user);
        }
    }
    ~TrainingNode() override
    {
        drop_objects();
        if (table->let_go != nullptr) {
            table->let_go(table->user);
        }
    }
    TrainingNode(const TrainingNode &) = delete;
    TrainingNode &operator=(const TrainingNode &) = delete;

    std::string name() const override
    {
        return graph.name == nullptr ? "CompiledFunctionBackward" : graph.name;
    }

    void *saved_struct() const
    {
        return saved.address();
    }

    void keep();
    void keep_like(size_t returned, const at::Tensor &nested);
    void release_variables() override;
    void compiled_args(torch::dynamo::autograd::CompiledNodeArgs &args) const override;

  protected:
    variable_list apply(variable_list &&grads) override;

  private:
    void keep_objects();
    void drop_objects();
    variable_list unpack();
    void fill(variable_list &grads) const;
    void run(const variable_list &read, const variable_list &grads, std::vector<WgValue> &outs);
    variable_list deliver(const std::vector<WgValue> &outs) const;

    const WgTorchTraining &graph;
    WgTorchSaved saved;
    std::vector<SavedVariable> tensors;                /* while the struct has null for them */
    std::vector<std::pair<size_t, at::Tensor>> nested; /* returned values whose zeros only zeros_like() makes */
    std::vector<size_t> stale; /* those that the wrapper itself wrote after the compiled function saved them */
    const WgTorchTable *table;
    size_t scratch;
    size_t num_objects = 0; /* opaque values that are kept */
    bool is_kept = false;   /* a forward that fails may have hung an argument on the node before */
    bool is_released = false;
};

void TrainingNode::keep_objects()
{
    for (; num_objects < graph.num_opaque && table->keep != nullptr; num_objects++) {
        table->keep(table->user, saved.opaque(num_objects));
    }
}

void TrainingNode::drop_objects()
{
    while (num_objects > 0) {
        table->drop(table->user, saved.opaque(--num_objects));
    }
}

/* Takes the tensors out of the struct that the forward has filled: all before the first is saved, which may throw,
 * since one that stayed there and hangs on this node would keep it alive. */
void TrainingNode::keep()
{
    keep_objects();
    variable_list taken(graph.num_tensors);
    for (size_t i = 0; i < taken.size(); i++) {
        taken[i] = wg_torch_take(std::exchange(saved.tensor(i), nullptr));
    }
    tensors.reserve(graph.num_tensors);
    for (size_t i = 0; i < taken.size(); i++) {
        const at::Tensor &tensor = taken[i];
        tensors.emplace_back(tensor, tensor.grad_fn().get() == this);
        if (!tensor.is_inference() && static_cast<int64_t>(tensor._version()) != saved.version(i)) {
            stale.push_back(i);
        }
    }
    is_kept = true;
}

/* As PyTorch's own node keeps it: without history, or it would keep this node. */
void TrainingNode::keep_like(size_t returned, const at::Tensor &value)
{
    nested.emplace_back(returned, value.detach());
}

void TrainingNode::release_variables()
{
    const std::lock_guard<std::mutex> lock(mutex_);
    is_released = true;
    tensors.clear();
    nested.clear();
    drop_objects();
    saved.release();
}

variable_list TrainingNode::unpack()
{
    variable_list unpacked;
    unpacked.reserve(tensors.size());
    for (const SavedVariable &one : tensors) {
        unpacked.push_back(one.unpack(getptr()));
    }
    for (const size_t i : stale) {
        const at::Tensor &t = unpacked[i];
        TORCH_CHECK(tensors[i].has_hooks(),
                    "one of the variables needed for gradient computation has been modified by an inplace operation: [",
                    t.toString(), " ", t.sizes(), "] is at version ", t._version(), "; expected version ",
                    saved.version(i), " instead. The compiled graph itself wrote into it, after it had saved it.");
    }
    return unpacked;
}

/* Gradients that the loss does not reach. Wrappers make zeros in place of plain ones. */
void TrainingNode::fill(variable_list &grads) const
{
    for (const auto &[returned, like] : nested) {
        if (returned < grads.size() && !grads[returned].defined()) {
            grads[returned] = at::zeros_like(like);
        }
    }
}

void TrainingNode::run(const variable_list &read, const variable_list &grads, std::vector<WgValue> &outs)
{
    const OwnContext ctx = new_context(table, scratch);
    std::vector<WgValue> values(graph.num_returned, wg_value_tensor(nullptr));
    for (size_t i = 0; i < values.size() && i < grads.size(); i++) {
        values[i].tensor = wg_torch_lend(grads[i]);
    }
    const WgTorchLent lent(saved, read);
    const int32_t status =
        graph.backward(ctx.get(), saved.address(), values.data(), values.size(), outs.data(), outs.size());
    if (status != WG_OK) {
        raise_error(ctx.get());
    }
}

variable_list TrainingNode::deliver(const std::vector<WgValue> &outs) const
{
    variable_list gradients(num_outputs());
    for (size_t i = 0; i < outs.size(); i++) {
        gradients[graph.gradients[i]] = wg_torch_take(outs[i].tensor);
    }
    return gradients;
}

/* With create_graph the gradients must not pass for constants: they hang on a node that raises. It has edges to all
 * that the backward read, so a derivative with respect to any of it gets there. */
void refuse_second_derivative(variable_list &gradients, variable_list read)
{
    auto refusal = c10::make_intrusive<torch::autograd::Error>(no_second_derivative);
    bool is_constant = true;
    for (const at::Tensor &t : read) {
        is_constant = is_constant && !(t.defined() && t.requires_grad());
    }
    if (is_constant) {
        read.push_back(at::empty({0}).set_requires_grad(true));
    }
    refusal->set_next_edges(torch::autograd::collect_next_edges(read));
    for (at::Tensor &t : gradients) {
        if (t.defined() && torch::autograd::isDifferentiableType(t.scalar_type())) {
            t = t.use_count() > 1 || t.requires_grad() ? t.detach() : t;
            torch::autograd::set_history(t, refusal);
        }
    }
}

/* PyTorch's default says neither why nor what to do. */
void TrainingNode::compiled_args(torch::dynamo::autograd::CompiledNodeArgs &) const
{
    TORCH_CHECK(false, "compiled autograd cannot trace ", name(),
                ", the backward of a graph with a generated wrapper; run this backward without compiled autograd "
                "(torch._dynamo.config.compiled_autograd), or this graph under PyTorch's own wrapper");
}

variable_list TrainingNode::apply(variable_list &&grads)
{
    const std::lock_guard<std::mutex> lock(mutex_);
    TORCH_CHECK(is_kept, "the forward of this backward failed after it had written into an argument");
    TORCH_CHECK(!is_released, torch::autograd::ERR_BACKWARD_TWICE);
    for (const at::Tensor &t : grads) {
        TORCH_CHECK(!t.defined() || !wg_torch_has_tangent(wg_torch_lend(t)),
                    "a gradient has a forward-mode derivative, which a compiled graph would drop");
    }
    variable_list read = unpack();
    TORCH_CHECK(graph.donates == 0 || !torch::autograd::get_current_graph_task_keep_graph(), donated_twice);
    std::vector<WgValue> outs(graph.num_gradients, wg_value_tensor(nullptr));
    fill(grads);
    run(read, grads, outs);
    variable_list gradients = deliver(outs);
    if (c10::GradMode::is_enabled()) {
        read.insert(read.end(), grads.begin(), grads.end());
        refuse_second_derivative(gradients, std::move(read));
    }
    return gradients;
}

} // namespace

/* ---- the call ---- */

class WgTorchCall
{
  public:
    WgTorchCall(WgContext *ctx, const WgTorchTraining &of, const WgValue *values);
    ~WgTorchCall()
    {
        inside.running = outer;
    }
    WgTorchCall(const WgTorchCall &) = delete;
    WgTorchCall &operator=(const WgTorchCall &) = delete;
    int32_t run(WgValue *args, WgValue *outs);
    void hang(const at::Tensor &t, bool requires_grad);

  private:
    const WgTensor *argument(size_t at) const;
    bool is_needed() const;
    torch::autograd::edge_list edges() const;
    void attach(const at::Tensor &t, size_t position);
    void protect(const at::Tensor &t);
    void refuse_argument(const at::Tensor &t) const;
    void end();

    WgTorchContext &inside;
    const WgTorchTraining &graph;
    const WgValue *args;
    WgTorchCall *outer;
    c10::intrusive_ptr<TrainingNode> node; /* null when no gradient is needed */
    size_t num_seen = 0;
    size_t num_attached = 0;
    variable_list views;
    std::vector<std::pair<size_t, at::Tensor>> nested; /* results, and where they are among the returned values */
};

/* An argument, or the tensor that merged ones are views of. Null where there is no tensor, and where merged arguments
 * share a storage and none of them is a view. */
const WgTensor *WgTorchCall::argument(size_t at) const
{
    if (at < graph.num_inputs) {
        return args[at].tensor;
    }
    const WgTorchMerged &merged = graph.merged[at - graph.num_inputs];
    for (size_t i = 0; i < merged.num_members; i++) {
        const WgTensor *member = args[merged.members[i]].tensor;
        if (member != nullptr && WgTorchBorrowed(member)->is_view()) {
            return wg_torch_name(WgTorchBorrowed(member)->_base().unsafeGetTensorImpl());
        }
    }
    return nullptr;
}

/* Does any argument require grad? */
bool WgTorchCall::is_needed() const
{
    bool found = false;
    for (size_t i = 0; i < graph.num_asked && !found; i++) {
        const WgTensor *t = argument(graph.asked[i]);
        found = t != nullptr && wg_torch_impl(t)->requires_grad();
    }
    return found;
}

/* What gradient_edge() says; of a parameter without its questions about views and hooks, since there may be many. */
static torch::autograd::Edge edge_of(const at::Tensor &t)
{
    const torch::autograd::AutogradMeta *meta = torch::autograd::impl::get_autograd_meta(t);
    if (meta == nullptr || !meta->requires_grad()) {
        return {};
    }
    return meta->grad_fn_ == nullptr && !meta->is_view_
               ? torch::autograd::Edge(torch::autograd::impl::grad_accumulator(t), 0)
               : torch::autograd::impl::gradient_edge(t);
}

torch::autograd::edge_list WgTorchCall::edges() const
{
    torch::autograd::edge_list list(graph.num_inputs + graph.num_merged);
    for (size_t i = 0; i < graph.num_gradients; i++) {
        const WgTensor *t = argument(graph.gradients[i]);
        if (t != nullptr) {
            list[graph.gradients[i]] = edge_of(*WgTorchBorrowed(t));
        }
    }
    return list;
}

WgTorchCall::WgTorchCall(WgContext *ctx, const WgTorchTraining &of, const WgValue *values)
    : inside(*wg_torch_inside(ctx)), graph(of), args(values), outer(inside.running)
{
    inside.exception = nullptr;
    if (is_needed()) {
        node = c10::make_intrusive<TrainingNode>(graph, inside);
        node->set_next_edges(edges());
    }
    inside.running = this;
}

/* A node's gradient would flow into the argument itself. PyTorch returns a view of it instead, and so do wrappers. */
void WgTorchCall::refuse_argument(const at::Tensor &t) const
{
    for (size_t i = 0; i < graph.num_gradients; i++) {
        TORCH_CHECK(argument(graph.gradients[i]) != wg_torch_lend(t), "the compiled forward returned argument ",
                    graph.gradients[i], " itself as a value that requires grad");
    }
}

void WgTorchCall::attach(const at::Tensor &t, size_t position)
{
    while (node->num_inputs() < position) {
        node->add_input_metadata(Node::undefined_input());
    }
    TORCH_CHECK(node->num_inputs() == position, "returned values are not in order");
    if (t.requires_grad() && t.is_leaf() && !t.is_view()) { /* made so by the context of its subclass */
        t.set_requires_grad(false);
    }
    torch::autograd::impl::set_gradient_edge(t, {node, node->add_input_metadata(t)});
    num_attached++;
    if (t.is_nested()) {
        nested.emplace_back(position, t);
    }
}

/* Writes into a view that a function of its own returns are refused, as by torch.autograd.Function: of values without a
 * gradient, too. */
void WgTorchCall::protect(const at::Tensor &t)
{
    views.push_back(t);
    torch::autograd::impl::get_view_autograd_meta(t)->set_creation_meta(
        torch::autograd::CreationMeta::IN_CUSTOM_FUNCTION);
}

void WgTorchCall::hang(const at::Tensor &t, bool requires_grad)
{
    TORCH_CHECK(num_seen < graph.num_hung, "the wrapper says of more than ", graph.num_hung,
                " values whether they require grad");
    const size_t position = graph.hung[num_seen++];
    if (requires_grad && node != nullptr && torch::autograd::isDifferentiableType(t.scalar_type())) {
        refuse_argument(t);
        attach(t, position);
    } else if (t.requires_grad() && !t.is_view()) {
        refuse_argument(t);
        t.detach_();
    }
    if (node != nullptr && t.is_view()) {
        protect(t);
    }
}

void wg_torch_hang(WgTorchCall *call, WgTensor *t, bool requires_grad)
{
    call->hang(*WgTorchBorrowed(t), requires_grad);
}

/* The forward has succeeded. */
void WgTorchCall::end()
{
    while (node->num_inputs() < graph.num_returned) {
        node->add_input_metadata(Node::undefined_input());
    }
    if (num_attached > 1) { /* else the gradient of the only one is there in every backward */
        for (const at::Tensor &view : views) {
            torch::autograd::impl::get_view_autograd_meta(view)->set_creation_meta(
                torch::autograd::CreationMeta::MULTI_OUTPUT_NODE);
        }
        for (const auto &[position, value] : nested) {
            node->keep_like(position, value);
        }
    }
    node->keep();
}

int32_t WgTorchCall::run(WgValue *values, WgValue *outs)
{
    if (node == nullptr) {
        const WgTorchSaved unused(graph);
        return graph.forward(&inside, values, graph.num_inputs, outs, graph.num_outputs, unused.address());
    }
    const int32_t status =
        graph.forward(&inside, values, graph.num_inputs, outs, graph.num_outputs, node->saved_struct());
    if (status == WG_OK) {
        end();
    }
    return status;
}

int32_t wg_torch_train(WgContext *ctx, const WgTorchTraining *graph, WgValue *args, size_t num_args, WgValue *outs,
                       size_t num_outs)
{
    static const WgSite site = {"training graph", nullptr, "autograd", WG_E_HOST, WG_KIND_STATUS};
    int32_t status = WG_OK;
    if (num_args != graph->num_inputs || num_outs != graph->num_outputs) {
        return wg_fail_boxed(ctx, "training graph", args, num_args, graph->num_inputs, outs, num_outs,
                             graph->num_outputs);
    }
    std::fill_n(outs, num_outs, wg_value_tensor(nullptr));
    const int32_t raised = wg_torch_attempt(ctx, [&] { status = WgTorchCall(ctx, *graph, args).run(args, outs); });
    if (raised != WG_TORCH_OK) {
        graph->release_outputs(ctx, outs);
        return wg_fail_host(ctx, &site, raised);
    }
    return status;
}
