/* SPDX-License-Identifier: MIT */
/*
 * test_files.c - files that the aoti host reads, as they should be and damaged: every length, every byte of a header
 * changed, descriptions with a line left out. Whatever happens, nothing is left and a failure has one line of text.
 * What is in the good file is written out below; models themselves are in tests/torch/deploy.
 */
#include "scenario.h"

#include "check.h"

static const char *path; /* of a file that is written again and again, in the program's folder */

static void write_file(const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        fprintf(stderr, "%s: cannot be written\n", path);
        exit(2);
    }
}

static const char header[] = "{\"__metadata__\":{\"stride turned\":\"1 2\",\"note\":\"a \\\"word\\\"\"},"
                             "\"x\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]},"
                             "\"turned\":{\"dtype\":\"I16\",\"shape\":[2,2],\"data_offsets\":[24,32]},"
                             "\"none\":{\"dtype\":\"BOOL\",\"shape\":[0,5],\"data_offsets\":[32,32]},"
                             "\"one\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[32,40]}}";

enum { HEADER = sizeof header - 1, DATA = 40, WHOLE = 8 + HEADER + DATA };

static void good_file(unsigned char whole[WHOLE])
{
    static const float x[6] = {1, 2, 3, 4, 5, 6};
    static const int16_t turned[4] = {1, 2, 3, 4};
    static const int64_t one = -7;
    memset(whole, 0, 8);
    whole[0] = HEADER % 256;
    whole[1] = HEADER / 256;
    memcpy(whole + 8, header, HEADER);
    memcpy(whole + 8 + HEADER, x, sizeof x);
    memcpy(whole + 8 + HEADER + 24, turned, sizeof turned);
    memcpy(whole + 8 + HEADER + 32, &one, sizeof one);
}

static int says_one_line(void)
{
    const char *message = wg_aoti_message(ctx);
    return message[0] != '\0' && strchr(message, '\n') == NULL;
}

static void good(void)
{
    unsigned char whole[WHOLE];
    WgAotiTensors *tensors = NULL;
    good_file(whole);
    write_file(whole, WHOLE);
    CHECK_EQUAL(wg_aoti_tensors_read(ctx, path, &tensors), WG_AOTI_OK);
    CHECK_EQUAL(wg_aoti_tensors_count(tensors), 4);
    CHECK(strcmp(wg_aoti_tensors_name(tensors, 1), "turned") == 0);
    CHECK(strcmp(wg_aoti_tensors_metadata(tensors, "note"), "a \"word\"") == 0);
    CHECK(wg_aoti_tensors_metadata(tensors, "x") == NULL && wg_aoti_tensors_find(tensors, "y") == NULL);
    WgTensor *x = wg_aoti_tensors_find(tensors, "x");
    CHECK(wg_dtype(ctx, x) == WG_FLOAT32 && wg_rank(ctx, x) == 2 && wg_size(ctx, x, 0) == 2 && wg_size(ctx, x, 1) == 3);
    CHECK(((const float *)wg_data(ctx, x))[5] == 6);
    /* [[1, 2], [3, 4]] by columns: 1, 3, 2, 4 in memory. */
    WgTensor *turned = wg_aoti_tensors_find(tensors, "turned");
    CHECK(wg_stride(ctx, turned, 0) == 1 && wg_stride(ctx, turned, 1) == 2);
    CHECK_EQUAL(((const int16_t *)wg_data(ctx, turned))[1], 3);
    CHECK_EQUAL(wg_size(ctx, wg_aoti_tensors_find(tensors, "none"), 1), 5);
    CHECK_EQUAL(*(const int64_t *)wg_data(ctx, wg_aoti_tensors_find(tensors, "one")), -7);
    wg_aoti_tensors_free(ctx, tensors);
}

static void too_short(void)
{
    unsigned char whole[WHOLE];
    good_file(whole);
    for (size_t length = 0; length < WHOLE; length++) {
        WgAotiTensors *tensors = NULL;
        write_file(whole, length);
        CHECK_EQUAL(wg_aoti_tensors_read(ctx, path, &tensors), WG_AOTI_E_FILE);
        CHECK(tensors == NULL && says_one_line());
    }
}

/* Many bytes may be others, such as those of names; then the file is read. */
static void other_bytes(void)
{
    static const unsigned char others[] = {0, ' ', '"', '\\', '0', '9', '-', '[', ']', '{', '}', ',', ':', 'x', 0xff};
    unsigned char whole[WHOLE];
    size_t num_refused = 0;
    for (size_t at = 0; at < 8 + HEADER; at++) {
        for (size_t other = 0; other < sizeof others; other++) {
            WgAotiTensors *tensors = NULL;
            good_file(whole);
            whole[at] = others[other];
            write_file(whole, WHOLE);
            const int32_t status = wg_aoti_tensors_read(ctx, path, &tensors);
            CHECK(status == WG_AOTI_OK ? tensors != NULL : tensors == NULL && says_one_line());
            num_refused += status != WG_AOTI_OK;
            wg_aoti_tensors_free(ctx, tensors);
        }
    }
    CHECK(num_refused > 8 + HEADER);
}

static const char *const lines[] = {
    "wrapgen model 1", "machine", "library nothing.so 5 00000000", "input 0: x, float32[2]", "output 0: y",
};

enum { NUM_LINES = sizeof lines / sizeof lines[0] };

/* The description without one of its lines, for this machine if `machine` is its name. */
static int32_t load_without(size_t left_out, const char *machine, const char *const *expects)
{
    char text[512] = "# a comment\n";
    WgModel model;
    for (size_t i = 0; i < NUM_LINES; i++) {
        if (i != left_out) {
            (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s%s\n", lines[i], i == 1 ? " " : "",
                           i == 1 ? machine : "");
        }
    }
    write_file(text, strlen(text));
    const int32_t status = wg_aoti_model_load(ctx, &model, path, expects, 1);
    CHECK(status != WG_AOTI_OK && model.container == NULL && says_one_line());
    return status;
}

static void descriptions(void)
{
    static const char *const expects[] = {"input 0: x, float32[2]", "output 0: y", NULL};
    static const char *const other[] = {"input 0: x, float64[2]", "output 0: y", NULL};
#if defined(__x86_64__)
    const char *machine = "x86_64";
#else
    const char *machine = "aarch64";
#endif
    CHECK_EQUAL(load_without(NUM_LINES, machine, expects), WG_AOTI_E_FILE);
    CHECK(strstr(wg_aoti_message(ctx), "nothing.so") != NULL);
    CHECK_EQUAL(load_without(NUM_LINES, "pdp11", expects), WG_AOTI_E_UNFIT);
    CHECK(strstr(wg_aoti_message(ctx), "pdp11") != NULL);
    CHECK_EQUAL(load_without(NUM_LINES, machine, other), WG_AOTI_E_UNFIT);
    CHECK(strstr(wg_aoti_message(ctx), "float32[2]") != NULL && strstr(wg_aoti_message(ctx), "float64[2]") != NULL);
    CHECK_EQUAL(load_without(0, machine, expects), WG_AOTI_E_FILE);
    CHECK_EQUAL(load_without(1, machine, expects), WG_AOTI_E_UNFIT);
    CHECK_EQUAL(load_without(2, machine, expects), WG_AOTI_E_FILE);
    CHECK_EQUAL(load_without(3, machine, expects), WG_AOTI_E_UNFIT);
    CHECK_EQUAL(load_without(4, machine, expects), WG_AOTI_E_UNFIT);
}

/* "123456789" has the CRC-32 cbf43926, in every table of such sums; more bytes than eight are summed in another way. */
static void checksums(void)
{
    WgModel model;
    char name[512];
    (void)snprintf(name, sizeof name, "%s.so", path);
    FILE *library = fopen(name, "wb");
    CHECK(library != NULL && fputs("123456789", library) >= 0 && fclose(library) == 0);
    const char *file = strrchr(name, '/') == NULL ? name : strrchr(name, '/') + 1;
    char text[1024];
    const char *const sums[] = {"cbf43926", "cbf43927"};
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(text, sizeof text, "wrapgen model 1\nmachine x86_64\nlibrary %s 9 %s\n", file, sums[i]);
        write_file(text, strlen(text));
        const int32_t status = wg_aoti_model_load(ctx, &model, path, NULL, 1);
#if defined(__x86_64__)
        CHECK_EQUAL(status, i == 0 ? WG_AOTI_E_LIBRARY : WG_AOTI_E_FILE); /* it is the file, and not a library */
#else
        CHECK_EQUAL(status, WG_AOTI_E_UNFIT);
#endif
    }
    CHECK_EQUAL(remove(name), 0);
}

static void borrowed(void)
{
    float data[6] = {1, 2, 3, 4, 5, 6};
    WgTensor *t = NULL;
    CHECK_EQUAL(wg_aoti_borrow(ctx, data, WG_FLOAT32, LIST(3, 2), 2, &t), WG_AOTI_OK);
    CHECK(wg_data(ctx, t) == data && wg_stride(ctx, t, 0) == 2 && wg_stride(ctx, t, 1) == 1);
    wg_release(ctx, t);
    CHECK_EQUAL(wg_aoti_borrow(ctx, NULL, WG_FLOAT32, LIST(3, 2), 2, &t), WG_AOTI_E_ARGUMENT);
    CHECK(t == NULL && strcmp(wg_aoti_message(ctx), "a tensor with 6 elements over a null pointer") == 0);
    CHECK_EQUAL(wg_aoti_borrow(ctx, NULL, WG_FLOAT32, NULL, 0, &t), WG_AOTI_E_ARGUMENT); /* a scalar has one */
    CHECK_EQUAL(wg_aoti_borrow(ctx, NULL, WG_FLOAT32, LIST(3, 0), 2, &t), WG_AOTI_OK);
    wg_release(ctx, t);
    CHECK_EQUAL(wg_aoti_borrow(ctx, data, WG_FLOAT32, NULL, -1, &t), WG_AOTI_E_ARGUMENT);
    CHECK_EQUAL(wg_aoti_borrow(ctx, data, WG_FLOAT32, LIST(INT64_MAX, 2), 2, &t), WG_AOTI_E_ARGUMENT);
    CHECK(t == NULL && says_one_line());
}

static void folders(void)
{
    WgAotiTensors *tensors = NULL;
    CHECK_EQUAL(wg_aoti_tensors_read(ctx, "/", &tensors), WG_AOTI_E_FILE);
    CHECK(says_one_line());
    CHECK_EQUAL(wg_aoti_tensors_read(ctx, "no/such/file", &tensors), WG_AOTI_E_FILE);
    CHECK(strstr(wg_aoti_message(ctx), "no/such/file") != NULL);
}

int main(int argc, char **argv)
{
    char name[512];
    (void)argc;
    (void)snprintf(name, sizeof name, "%s.data", argv[0]);
    path = name;
    if (wg_context_create(NULL, &ctx) != WG_AOTI_OK) {
        return 2;
    }
    run("a safetensors file", good);
    run("one that ends too early, anywhere", too_short);
    run("one with other bytes in its header", other_bytes);
    run("descriptions of models, without a line", descriptions);
    run("checksums", checksums);
    run("tensors over memory of the program's", borrowed);
    run("files that are not there", folders);
    (void)remove(path);
    wg_context_destroy(ctx);
    return finish();
}
