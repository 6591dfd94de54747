// SPDX-License-Identifier: MIT
// handles FOLDER - calls the decoder through models.hpp, as C++ does: the recorded calls, one after another, over a cache of its own.
// Each result must be the recorded one; wrong calls throw what the C functions say; what is moved is released once.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "models.hpp"

static int num_failed = 0;

static void expect(bool holds, const char *what)
{
    if (!holds) {
        std::printf("not so: %s\n", what);
        num_failed++;
    }
}

template <class Call> static void expect_error(const std::string &text, Call call)
{
    try {
        call();
        expect(false, ("it fails with " + text).c_str());
    } catch (const models::Error &error) {
        expect(std::string(error.what()).find(text) != std::string::npos && error.status() != WG_OK, error.what());
    }
}

static void decode(const models::Context &ctx, const std::string &folder)
{
    float keys[2 * 8 * 8] = {};
    float values[2 * 8 * 8] = {};
    const models::Tensor k(ctx, keys, {2, 8, 8});
    models::Tensor moved(ctx, values, {2, 8, 8});
    const models::Tensor v = std::move(moved);
    expect(moved == nullptr && v != nullptr, "a tensor moves");
    for (int i = 0; i < 3; i++) {
        const models::File data(ctx, folder, "data/decoder_word_" + std::to_string(i) + ".safetensors");
        auto out = models::call(ctx, model_decoder, {data["in token"], data["in position"], k, v});
        const models::Tensor logits = out.take(out->logits);
        expect(out->logits == nullptr && logits.sizes() == std::vector<int64_t>({1, 11}), "a result is taken out");
        const float *got = logits.data<float>();
        const float *wanted = models::data_of<float>(ctx, data["out logits"]);
        for (int j = 0; j < 11; j++) {
            expect(std::fabs(got[j] - wanted[j]) < 1e-4f, "a result is the recorded one");
        }
        for (int j = 0; j < 2 * 8 * 8; j++) {
            expect(std::fabs(keys[j] - models::data_of<float>(ctx, data["after keys"])[j]) < 1e-4f, "the cache is written to");
        }
    }
}

static void fail(const models::Context &ctx, const std::string &folder)
{
    const models::File data(ctx, folder, "data/decoder_word_0.safetensors");
    int32_t word = 3;
    const models::Tensor narrow(ctx, &word, {1});
    const auto refused = [&] {
        expect_error("expected int64, found int32", [&] {
            models::call(ctx, model_decoder, {narrow, data["in position"], data["in keys"], data["in values"]});
        });
    };
    refused(); // before each of the others, which must not tell this error again
    expect_error("No such file", [&] { models::File(ctx, folder, "data/nothing.safetensors"); });
    refused();
    expect_error("No such file", [&] { models::Models(ctx, folder + "/nowhere"); });
    refused();
    expect_error("over a null pointer", [&] { models::Tensor(ctx, static_cast<float *>(nullptr), {3}); });
    expect_error("another type", [&] { (void)narrow.data<int64_t>(); });
    try {
        (void)data["in nothing"];
        expect(false, "a tensor that is not there is told");
    } catch (const std::out_of_range &error) {
        expect(error.what() == std::string("the file has no tensor 'in nothing'"), error.what());
    }
}

int main(int argc, char **argv)
{
    const std::string folder = argc > 1 ? argv[1] : MODELS_FOLDER;
    const models::Context ctx;
    fail(ctx, folder + "/.");
    const models::Models open(ctx, folder, 2);
    decode(ctx, folder);
    std::thread other([&] { decode(ctx.fork(), folder); });
    other.join();
    std::printf("%d failed\n", num_failed);
    return num_failed != 0;
}
