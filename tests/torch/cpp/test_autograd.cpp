/* SPDX-License-Identifier: MIT */
/*
 * test_autograd.cpp TEXTS - training graphs through wg_torch_train() and the same programs in eager PyTorch, in one
 * process: values and gradients must be the same bits, refusals the same words. TEXTS is what texts.py printed, for
 * refusals that only AOTAutograd makes. Every test ends with no node alive and no tensor left.
 */
#include "programs.hpp"

/* Both, side by side. */
struct Pair {
    Net ours, theirs;
    Pair()
    {
        ours.ours();
        theirs.theirs();
    }
    template <typename Act> void both(const Act &act)
    {
        act(ours);
        act(theirs);
    }
};

static bool same(const Tensor &a, const Tensor &b)
{
    return a.defined() == b.defined() && (!a.defined() || (a.sizes() == b.sizes() && a.strides() == b.strides() &&
                                                           a.dtype() == b.dtype() && at::equal(a, b)));
}

static std::string said(const std::function<void()> &act)
{
    try {
        act();
    } catch (const c10::Error &error) {
        return error.what_without_backtrace();
    } catch (const std::exception &error) {
        return error.what();
    }
    return "nothing";
}

static std::string replaced(std::string text, const std::string &from, const std::string &to)
{
    const size_t at = text.find(from);
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

static void check_same_words(const std::string &ours, const std::string &theirs, int line)
{
    if (ours != theirs || ours == "nothing") {
        std::printf("ours:   %s\ntheirs: %s\n", ours.c_str(), theirs.c_str());
        check(false, "the same words", line);
    }
}

#define EXPECT_WORDS(ours, theirs) check_same_words(ours, theirs, __LINE__)

static Tensor weights()
{
    return eighths({2, 4}, -4);
}

static void backward_of_y(Net &one)
{
    (one.y * weights()).sum().backward();
}

/* ---- tests ---- */

static void ordinary()
{
    Pair pair;
    EXPECT(same(pair.ours.y, pair.theirs.y) && same(pair.ours.z, pair.theirs.z) && same(pair.ours.c, pair.theirs.c));
    EXPECT(pair.ours.y.grad_fn()->name() == "CompiledFunctionBackward");
    EXPECT(pair.ours.z.grad_fn()->name().find("AsStridedBackward") != std::string::npos);
    EXPECT(pair.ours.z.is_view() && pair.ours.z._base().grad_fn() == pair.ours.y.grad_fn());
    EXPECT(pair.ours.y.output_nr() == 1 && pair.ours.z._base().output_nr() == 3);
    EXPECT(pair.ours.y.requires_grad() && !pair.ours.y.is_leaf() && !pair.ours.c.requires_grad());
    EXPECT(pair.ours.c._version() == pair.theirs.c._version() && pair.ours.y._version() == 0);
    pair.both([](Net &one) { ((one.y * weights()).sum() + (one.z * weights().t() * 3).sum()).backward(); });
    EXPECT(same(pair.ours.w.grad(), pair.theirs.w.grad()) && same(pair.ours.b.grad(), pair.theirs.b.grad()));
    EXPECT(pair.ours.w.grad().defined() && !pair.ours.x.grad().defined());
}

static void missing_tangents()
{
    Pair of_y;
    of_y.both(backward_of_y);
    EXPECT(same(of_y.ours.w.grad(), of_y.theirs.w.grad()) && same(of_y.ours.b.grad(), of_y.theirs.b.grad()));
    Pair of_z;
    of_z.both([](Net &one) { (one.z * weights().t()).sum().backward(); });
    EXPECT(same(of_z.ours.w.grad(), of_z.theirs.w.grad()));
    EXPECT(at::equal(of_z.ours.b.grad(), at::zeros_like(of_z.ours.b))); /* the tangent of y is made of zeros */
}

/* Only one of the inputs that were traced with a gradient needs one. */
static void fewer_gradients()
{
    Pair pair;
    pair.both([](Net &one) {
        const Tensor of_b = torch::autograd::grad({(one.y * weights()).sum()}, {one.b})[0];
        one.b.mutable_grad() = of_b;
    });
    EXPECT(same(pair.ours.b.grad(), pair.theirs.b.grad()) && !pair.ours.w.grad().defined());
    Net constant;
    constant.w = constant.w.detach();
    constant.b = constant.b.detach();
    constant.ours();
    EXPECT(!constant.y.requires_grad() && !constant.y.grad_fn());
    EXPECT(constant.z.requires_grad() && constant.z.is_leaf()); /* [gen_alias_from_base] as it was traced */
    Net half;
    half.w = half.w.detach();
    half.ours();
    backward_of_y(half);
    EXPECT(same(half.b.grad(), pair.theirs.b.grad()));
}

static void no_grad()
{
    Net one;
    {
        const at::NoGradGuard guard;
        one.ours();
        EXPECT(!c10::GradMode::is_enabled());
    }
    EXPECT(one.y.requires_grad()); /* as AOTAutograd, which runs its function with grad mode on */
}

static void retained()
{
    Pair pair;
    pair.both([](Net &one) {
        const Tensor loss = (one.y * weights()).sum();
        loss.backward({}, true);
        loss.backward();
    });
    EXPECT(same(pair.ours.w.grad(), pair.theirs.w.grad()) && same(pair.ours.b.grad(), pair.theirs.b.grad()));
    EXPECT_WORDS(said([&] { backward_of_y(pair.ours); }), said([&] { backward_of_y(pair.theirs); }));
    EXPECT_WORDS(said([&] { backward_of_y(pair.ours); }).substr(0, texts["twice"].size()), texts["twice"]);
}

/* What was saved goes with the backward, or with the node. */
static void released()
{
    Net one;
    const size_t before = one.x.use_count();
    one.ours();
    EXPECT(one.x.use_count() == before + 1);
    backward_of_y(one);
    EXPECT(one.x.use_count() == before);
    EXPECT(one.y.grad_fn() != nullptr);
    Net other;
    other.ours();
    const c10::weak_intrusive_ptr<torch::autograd::Node> node(other.y.grad_fn());
    other.y.reset();
    other.z.reset();
    EXPECT(node.expired());
    EXPECT(other.x.use_count() == before);
}

static void versions()
{
    Pair pair;
    pair.both([](Net &one) { one.b.detach().mul_(2); });
    EXPECT_WORDS(said([&] { backward_of_y(pair.ours); }), said([&] { backward_of_y(pair.theirs); }));
    EXPECT(!pair.ours.b.grad().defined());
    Pair later;
    later.both([](Net &one) { one.c.mul_(2); }); /* nothing was saved of it */
    EXPECT(said([&] { backward_of_y(later.ours); }) == "nothing");
}

/* The result is saved, which must not keep its node alive. */
static void saved_result()
{
    Tensor ours = eighths({3}, 1).requires_grad_();
    Tensor theirs = eighths({3}, 1).requires_grad_();
    Tensor of_ours = train(exponent, {ours})[0];
    Tensor of_theirs = at::exp(theirs);
    const c10::weak_intrusive_ptr<torch::autograd::Node> node(of_ours.grad_fn());
    (of_ours * 3).sum().backward({}, true);
    (of_theirs * 3).sum().backward({}, true);
    EXPECT(same(ours.grad(), theirs.grad()));
    Tensor loss = of_ours.sum();
    {
        const at::NoGradGuard guard;
        of_ours.mul_(2);
        of_theirs.mul_(2);
    }
    EXPECT_WORDS(said([&] { loss.backward(); }), replaced(said([&] { of_theirs.sum().backward(); }), "output 0 of Exp,",
                                                          "output 0 of CompiledFunction,"));
    loss.reset();
    of_ours.reset();
    EXPECT(node.expired());
}

/* x is written, and requires grad: its new value is a result of the node. */
static void written_argument()
{
    Tensor leaves[2];
    Tensor weight[2];
    Tensor written[2];
    for (int i = 0; i < 2; i++) {
        leaves[i] = eighths({3}, 1).requires_grad_();
        weight[i] = eighths({3}, 5).requires_grad_();
        written[i] = leaves[i] * 1;
        Tensor y = i == 0 ? train(scale, {written[i], weight[i]})[0] : written[i].mul_(weight[i]) * 2;
        EXPECT(written[i]._version() == 1 && written[i].requires_grad());
        (y * eighths({3}, 2) + written[i]).sum().backward();
    }
    EXPECT(same(written[0], written[1]));
    EXPECT(same(leaves[0].grad(), leaves[1].grad()) && same(weight[0].grad(), weight[1].grad()));
    Tensor alone = eighths({3}, 1).requires_grad_() * 1;
    Tensor w = eighths({3}, 5).requires_grad_();
    (void)train(scale, {alone, w});
    alone.sum().backward(); /* through the argument only */
    EXPECT(same(w.grad(), eighths({3}, 1)));
    EXPECT(said([] {
               Tensor leaf = eighths({3}, 1).requires_grad_();
               (void)train(scale, {leaf, eighths({3}, 5)});
           }).find("leaf Variable that requires grad") != std::string::npos);
}

/* The graph saves an argument that its wrapper then writes: PyTorch takes the version before that. */
static void written_after_saved()
{
    const Tensor leaf = eighths({3}, 1).requires_grad_();
    const Tensor w = eighths({3}, 5).requires_grad_();
    saves_argument = true;
    const Tensor y = train(scale, {leaf * 1, w})[0];
    saves_argument = false;
    EXPECT(said([&] { y.sum().backward(); }).find("[CPUFloatType [3]] is at version 1; expected version 0 instead") !=
           std::string::npos);
    EXPECT(!w.grad().defined());
}

/* A result of the graph is written by the program, before the backward. */
static void written_result()
{
    Pair pair;
    pair.both([](Net &one) {
        one.y.mul_(3);
        one.z.add_(1);
        ((one.y * weights()).sum() + (one.z * one.z).sum()).backward();
    });
    EXPECT(same(pair.ours.y, pair.theirs.y) && same(pair.ours.z, pair.theirs.z));
    EXPECT(same(pair.ours.w.grad(), pair.theirs.w.grad()) && same(pair.ours.b.grad(), pair.theirs.b.grad()));
}

static void second_derivative()
{
    Pair pair;
    const Tensor loss = (pair.ours.y * weights()).sum();
    const Tensor of_w = torch::autograd::grad({loss}, {pair.ours.w}, {}, true, true)[0];
    EXPECT(of_w.requires_grad());
    EXPECT_WORDS(said([&] { of_w.sum().backward(); }), texts["second"]);
    EXPECT_WORDS(said([&] { (void)torch::autograd::grad({of_w.sum()}, {pair.ours.b}); }), texts["second"]);
    const Tensor of_theirs =
        torch::autograd::grad({(pair.theirs.y * weights()).sum()}, {pair.theirs.w}, {}, true, true)[0];
    EXPECT(at::equal(of_w, of_theirs));
    backward_of_y(pair.ours); /* the refusal has not spoilt the first derivative */
    EXPECT(pair.ours.b.grad().defined());
}

static void donated()
{
    WgTorchTraining giving = net;
    giving.donates = 1;
    Net one;
    one.y = train(giving, {one.x, one.w, one.b, one.c})[0];
    const Tensor loss = one.y.sum();
    EXPECT_WORDS(said([&] { loss.backward({}, true); }), texts["donated"]);
    loss.backward();
    EXPECT(one.w.grad().defined());
    one.y.reset();
}

/* A backward that is refused before it runs has only borrowed what was saved: it is still there when the node goes. */
static void refused_and_dropped()
{
    WgTorchTraining giving = net;
    giving.donates = 1;
    Net one;
    const size_t before[] = {one.x.use_count(), one.w.use_count(), one.b.use_count()};
    one.y = train(giving, {one.x, one.w, one.b, one.c})[0];
    EXPECT_WORDS(said([&] { one.y.sum().backward({}, true); }), texts["donated"]);
    one.y.reset();
    EXPECT(one.x.use_count() == before[0] && one.w.use_count() == before[1] && one.b.use_count() == before[2]);
}

/* PyTorch refuses to save the first of two tensors; the second is a result, which hangs on the node. */
static void not_saved()
{
    Tensor x;
    {
        const c10::InferenceMode inference;
        x = eighths({3}, 1);
    }
    const Tensor w = eighths({3}, 5).requires_grad_();
    EXPECT(said([&] { (void)train(product, {x, w}); }).find("Inference tensors cannot be saved") != std::string::npos);
    EXPECT(made_product.has_value() && made_product->expired());
    EXPECT(x.use_count() == 1 && w.use_count() == 1);
    const Tensor written = w * 1;
    EXPECT(said([&] { (void)train(scale, {written, x}); }).find("Inference tensors cannot") != std::string::npos);
    EXPECT(written._version() == 1);
    EXPECT(said([&] { written.sum().backward(); }).find("the forward of this backward failed") == 0);
}

static void forward_mode()
{
    const uint64_t level = torch::autograd::ForwardADLevel::get_next_idx();
    const Tensor x = eighths({3}, 1).requires_grad_();
    x._set_fw_grad(eighths({3}, 2), level, false);
    EXPECT(said([&] { (void)train(exponent, {x}); }).find("forward-mode derivative") != std::string::npos);
    torch::autograd::ForwardADLevel::release_idx(level);
    EXPECT(said([&] { (void)train(exponent, {x}); }) == "nothing");
}

static void hooks()
{
    Pair pair;
    int calls[2] = {0, 0};
    int which = 0;
    pair.both([&](Net &one) {
        int *count = &calls[which++];
        one.y.retain_grad();
        one.y.register_hook([count](const Tensor &gradient) {
            ++*count;
            return gradient * 2;
        });
        one.w.register_hook([count](const Tensor &gradient) {
            ++*count;
            return gradient + 1;
        });
        backward_of_y(one);
    });
    EXPECT(calls[0] == 2 && calls[1] == 2);
    EXPECT(same(pair.ours.w.grad(), pair.theirs.w.grad()) && same(pair.ours.y.grad(), pair.theirs.y.grad()));
}

static void anomaly()
{
    torch::autograd::AnomalyMode::set_enabled(true, true);
    Tensor ours = at::full({3}, 1.0F).requires_grad_();
    Tensor theirs = at::full({3}, 1.0F).requires_grad_();
    const Tensor nothing = at::full({3}, std::numeric_limits<float>::quiet_NaN());
    const Tensor of_ours = train(exponent, {ours})[0];
    const Tensor of_theirs = at::exp(theirs);
    EXPECT_WORDS(said([&] { of_ours.backward(nothing); }),
                 replaced(said([&] { of_theirs.backward(nothing); }), "ExpBackward0", "CompiledFunctionBackward"));
    torch::autograd::AnomalyMode::set_enabled(false, true);
}

/* The backward runs on a thread that has never seen the forward's context. */
static void threads()
{
    Pair pair;
    std::thread([&] { backward_of_y(pair.ours); }).join();
    backward_of_y(pair.theirs);
    EXPECT(same(pair.ours.w.grad(), pair.theirs.w.grad()));
    std::atomic<int> num_right = 0;
    std::vector<std::thread> all;
    for (int i = 0; i < 4; i++) {
        all.emplace_back([&] {
            for (int n = 0; n < 50; n++) {
                Net one;
                one.ours();
                backward_of_y(one);
                num_right += same(one.w.grad(), pair.theirs.w.grad());
            }
        });
    }
    for (std::thread &one : all) {
        one.join();
    }
    EXPECT(num_right == 200);
}

static void exceptions()
{
    Net one;
    throws_forward = true;
    const std::string text = said([&] { one.ours(); });
    throws_forward = false;
    EXPECT(text.find("the forward is special") != std::string::npos);
    EXPECT(one.x.use_count() == 1 && one.w.use_count() == 1 && one.c._version() == 0);
    one.ours();
    throws_backward = true;
    bool is_special = false;
    try {
        backward_of_y(one);
    } catch (const Special &error) {
        is_special = std::string(error.what()) == "the backward is special";
    }
    throws_backward = false;
    EXPECT(is_special);
    EXPECT(!one.w.grad().defined());
    Net wrong;
    wrong.w = eighths({3, 5}, 0).requires_grad_();
    EXPECT(said([&] { wrong.ours(); }).find("'w'") != std::string::npos);
    EXPECT(wrong.x.use_count() == 1 && wrong.b.use_count() == 1);
}

/* The bits are those that at::Tensor tells, through either way to read them; a tensor is plain with each. */
static void lazy()
{
    WgContext *ctx = new_context();
    const Tensor z = at::view_as_complex(eighths({3, 2}, 1));
    for (const Tensor &t : {z, z.conj(), at::imag(z.conj()), z.conj().conj(), z.conj().resolve_conj()}) {
        const WgTensor *handle = reinterpret_cast<const WgTensor *>(t.unsafeGetTensorImpl());
        const int32_t bits = (t.is_conj() ? WG_LAZY_CONJ : 0) + (t.is_neg() ? WG_LAZY_NEG : 0);
        EXPECT(wg_lazy(ctx, handle) == bits);
        EXPECT(wg_host_fact(ctx, handle, WG_RULE_LAZY, -1) == bits);
        for (int32_t other = 0; other < 4; other++) {
            const WgFact fact = {WG_RULE_LAZY, -1, other};
            EXPECT(wg_matches(ctx, handle, &fact, 1) == (other == bits));
        }
    }
    EXPECT(z.conj().is_conj() && at::imag(z.conj()).is_neg());
    wg_context_destroy(ctx);
}

/* Autograd's own zeros have no memory to read, and a batch has more elements than its sizes say. */
static void without_memory()
{
    WgContext *ctx = new_context();
    const WgFact fact = {WG_RULE_DTYPE, -1, WG_FLOAT32};
    const Tensor t = eighths({3}, 1);
    EXPECT(wg_is_plain(ctx, wg_torch_lend(t)) == 1 && wg_matches(ctx, wg_torch_lend(t), &fact, 1) == 1);
    for (const Tensor &other : {at::_efficientzerotensor({3}, t.options()), at::_add_batch_dim(t.view({3, 1}), 0, 1)}) {
        EXPECT(wg_is_plain(ctx, wg_torch_lend(other)) == 0);
        EXPECT(wg_matches(ctx, wg_torch_lend(other), &fact, 1) == 0);
    }
    wg_context_destroy(ctx);
}

/* A view is equal to the tensor that it is to be like, whichever of the two is lazily conjugated or negated. */
static void alias_of_lazy()
{
    WgContext *ctx = new_context();
    const Tensor z = at::view_as_complex(eighths({3, 2}, 1));
    const Tensor all[] = {z, z.conj(), at::_neg_view(z), at::_neg_view(z.conj())};
    for (const Tensor &base : all) {
        for (const Tensor &target : all) {
            WgTensor *out = nullptr;
            EXPECT(wg_alias_like(ctx, wg_torch_lend(base), wg_torch_lend(target), 0, &out) == WG_TORCH_OK);
            const Tensor made = wg_torch_take(out);
            EXPECT(same(made, target) && made.is_conj() == target.is_conj() && made.is_neg() == target.is_neg());
            EXPECT(made.is_view() && made.const_data_ptr() == z.const_data_ptr());
        }
    }
    const Tensor part = at::imag(z.conj());
    WgTensor *out = nullptr;
    EXPECT(wg_alias_like(ctx, wg_torch_lend(z), wg_torch_lend(part), 0, &out) == WG_TORCH_OK);
    EXPECT(same(wg_torch_take(out), part) && part.is_neg());
    wg_context_destroy(ctx);
}

/* What a compiled backward reads in memory is the gradient. */
static void lazy_tangent()
{
    Tensor ours = eighths({3}, 1).requires_grad_();
    Tensor theirs = eighths({3}, 1).requires_grad_();
    const Tensor gradient = at::_neg_view(eighths({3}, 2));
    train(exponent, {ours})[0].backward(gradient);
    at::exp(theirs).backward(gradient);
    EXPECT(same(ours.grad(), theirs.grad()) && gradient.is_neg());
}

int main(int argc, char **argv)
{
    std::ifstream file(argc > 1 ? argv[1] : "");
    std::string line;
    while (std::getline(file, line)) {
        const size_t at = line.find(": ");
        texts[line.substr(0, at)] = line.substr(at + 2);
    }
    run("an ordinary graph", ordinary);
    run("tangents that are missing", missing_tangents);
    run("gradients that nothing needs", fewer_gradients);
    run("grad mode off around the call", no_grad);
    run("a graph that is retained, and one that is not", retained);
    run("what was saved is let go", released);
    run("arguments that were written after they were saved", versions);
    run("a result that is saved", saved_result);
    run("an argument that the graph writes", written_argument);
    run("an argument that is written after it was saved", written_after_saved);
    run("results that the program writes", written_result);
    run("a second derivative", second_derivative);
    run("donated buffers", donated);
    run("a backward that is refused", refused_and_dropped);
    run("a tensor that cannot be saved", not_saved);
    run("forward-mode derivatives", forward_mode);
    run("hooks", hooks);
    run("anomaly mode", anomaly);
    run("threads", threads);
    run("what is lazily conjugated or negated", lazy);
    run("tensors without memory of their own", without_memory);
    run("views of and like lazy tensors", alias_of_lazy);
    run("a gradient that is lazily negated", lazy_tangent);
    run("exceptions in compiled functions", exceptions);
    std::printf("%d passed, %d failed, 0 skipped\n", num_tests - num_failed, num_failed);
    return num_failed != 0;
}
