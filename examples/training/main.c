/* SPDX-License-Identifier: 0BSD */
/*
 * Trains the network of examples/mlp for 300 steps, with nothing but generated wrappers and C: the forward fills a
 * struct of saved values, the backward turns it into gradients, and the wrapper of examples/mlp_step updates the
 * parameters in place with SGD and momentum. Every 25 steps the loss is compared with PyTorch's (losses.txt, from
 * record.py, where the formulas of data and first weights are the same).
 *
 * Two float32 programs that round in another order drift apart as training goes on. How far is not guessed: losses.txt
 * has the losses of PyTorch in float32 and in float64; eight times their largest relative distance is let pass. That is
 * some 1e-4; a momentum of 0.899 in place of 0.9 is wrong by 2e-2.
 *
 *     training FOLDER [--summary]      the folder of losses.txt; one line in place of the table
 */
#include "mlp.h"
#include "mlp_step.h"
#include "wg_native.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RECORDS = 64 };

typedef struct Record {
    int step;
    double single; /* PyTorch's loss in float32 */
    double full;   /* in float64 */
} Record;

typedef struct Training {
    WgContext *ctx;
    demo_mlp_inputs network; /* four parameters, x and target */
    WgTensor *one;           /* d loss / d loss */
    WgTensor *momentum[4];   /* of hidden_weight, hidden_bias, out_weight, out_bias */
} Training;

static void need(int32_t status)
{
    if (status != 0) {
        fprintf(stderr, "native host: %s\n", wg_native_code_text(status));
        exit(1);
    }
}

static void need_call(WgContext *ctx, int32_t status)
{
    char text[256];
    if (status != WG_OK) {
        wg_error_text(wg_error(ctx), text, sizeof text);
        fprintf(stderr, "%s\n", text);
        exit(1);
    }
}

/* ---- the same formulas as in record.py ---- */

static WgTensor *zeros(WgContext *ctx, int32_t rank, int64_t rows, int64_t columns)
{
    const int64_t sizes[2] = {rows, columns};
    WgTensor *t = NULL;
    need(wg_native_zeros(ctx, WG_FLOAT32, rank, sizes, &t));
    return t;
}

/* Entry i is ((factor * i) mod modulus - (modulus - 1) / 2) / scale. */
static WgTensor *formula(WgContext *ctx, int32_t rank, int64_t rows, int64_t columns, int factor, int modulus,
                         double scale)
{
    WgTensor *t = zeros(ctx, rank, rows, columns);
    for (int64_t i = 0; i < t->num_elements; i++) {
        wg_native_set_real(t, i, ((double)((factor * i) % modulus) - (modulus - 1) / 2.0) / scale);
    }
    return t;
}

static void fill_data(WgTensor *x, WgTensor *target)
{
    for (int i = 0; i < 16; i++) {
        const double across = (i % 4 - 1.5) / 2;
        const double down = (i / 4 - 1.5) / 2;
        wg_native_set_real(x, 2 * i, across);
        wg_native_set_real(x, 2 * i + 1, down);
        wg_native_set_real(target, i, 4 * across * down);
    }
}

static void begin(Training *training)
{
    WgContext *ctx = NULL;
    need(wg_context_create(NULL, &ctx));
    training->ctx = ctx;
    training->network.hidden_weight = formula(ctx, 2, 8, 2, 7, 11, 8);
    training->network.hidden_bias = formula(ctx, 1, 8, 0, 5, 7, 16);
    training->network.out_weight = formula(ctx, 2, 1, 8, 3, 5, 8);
    training->network.out_bias = zeros(ctx, 1, 1, 0);
    need(wg_set_requires_grad(ctx, training->network.hidden_weight, 1));
    need(wg_set_requires_grad(ctx, training->network.hidden_bias, 1));
    need(wg_set_requires_grad(ctx, training->network.out_weight, 1));
    need(wg_set_requires_grad(ctx, training->network.out_bias, 1));
    training->network.x = zeros(ctx, 2, 16, 2);
    training->network.target = zeros(ctx, 2, 16, 1);
    fill_data(training->network.x, training->network.target);
    training->one = zeros(ctx, 0, 0, 0);
    wg_native_set_real(training->one, 0, 1);
    training->momentum[0] = zeros(ctx, 2, 8, 2);
    training->momentum[1] = zeros(ctx, 1, 8, 0);
    training->momentum[2] = zeros(ctx, 2, 1, 8);
    training->momentum[3] = zeros(ctx, 1, 1, 0);
}

static void end(Training *training)
{
    WgTensor *const all[] = {
        training->network.hidden_weight,
        training->network.hidden_bias,
        training->network.out_weight,
        training->network.out_bias,
        training->network.x,
        training->network.target,
        training->one,
        training->momentum[0],
        training->momentum[1],
        training->momentum[2],
        training->momentum[3],
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        wg_release(training->ctx, all[i]);
    }
    wg_context_destroy(training->ctx);
}

/* ---- one step: forward, backward, update ---- */

static void update(Training *training, const demo_mlp_gradients *gradients)
{
    const demo_mlp_inputs *network = &training->network;
    const demo_mlp_step_inputs in = {
        network->hidden_weight,   network->hidden_bias,   network->out_weight,   network->out_bias,
        training->momentum[1],    training->momentum[0],  training->momentum[2], training->momentum[3],
        gradients->hidden_weight, gradients->hidden_bias, gradients->out_weight, gradients->out_bias,
    };
    demo_mlp_step_outputs none;
    need_call(training->ctx, demo_mlp_step(training->ctx, &in, &none));
}

/* Returns the loss before the update. */
static double train(Training *training)
{
    WgContext *ctx = training->ctx;
    demo_mlp_outputs out;
    demo_mlp_saved saved;
    const demo_mlp_tangents tangents = {training->one};
    demo_mlp_gradients gradients;
    need_call(ctx, demo_mlp(ctx, &training->network, &out, &saved));
    need_call(ctx, demo_mlp_backward(ctx, &saved, &tangents, &gradients));
    update(training, &gradients);
    const double loss = wg_native_real(out.loss, 0);
    demo_mlp_gradients_release(ctx, &gradients);
    demo_mlp_saved_release(ctx, &saved);
    demo_mlp_outputs_release(ctx, &out);
    return loss;
}

/* What a backward says when a weight was written to after the forward saved it; or, `again`, when it is called a second
 * time, and the first call may have written over the buffers that are donated to it. */
static int32_t stale_backward(Training *training, int again)
{
    WgContext *ctx = training->ctx;
    demo_mlp_outputs out;
    demo_mlp_saved saved;
    const demo_mlp_tangents tangents = {training->one};
    demo_mlp_gradients gradients;
    need_call(ctx, demo_mlp(ctx, &training->network, &out, &saved));
    if (again) {
        need_call(ctx, demo_mlp_backward(ctx, &saved, &tangents, &gradients));
        demo_mlp_gradients_release(ctx, &gradients);
    } else {
        need_call(ctx, wg_copy_leaf_(ctx, training->network.out_weight, training->network.out_weight));
    }
    const int32_t status = demo_mlp_backward(ctx, &saved, &tangents, &gradients);
    demo_mlp_saved_release(ctx, &saved);
    demo_mlp_outputs_release(ctx, &out);
    return status;
}

/* ---- PyTorch's losses ---- */

static int read_records(const char *folder, Record *records)
{
    char path[4096];
    char line[256];
    int num_records = 0;
    const int length = snprintf(path, sizeof path, "%s/losses.txt", folder);
    FILE *file = length > 0 && (size_t)length < sizeof path ? fopen(path, "r") : NULL;
    if (file == NULL) {
        fprintf(stderr, "cannot read %s/losses.txt\n", folder);
        exit(1);
    }
    while (num_records < MOST_RECORDS && fgets(line, sizeof line, file) != NULL) {
        char *rest = line;
        Record *record = &records[num_records];
        if (line[0] == '#') {
            continue;
        }
        record->step = (int)strtol(rest, &rest, 10);
        record->single = strtod(rest, &rest);
        record->full = strtod(rest, &rest);
        num_records++;
    }
    fclose(file);
    return num_records;
}

static double tolerance_of(const Record *records, int num_records)
{
    double largest = 0;
    for (int i = 0; i < num_records; i++) {
        largest = fmax(largest, fabs(records[i].single - records[i].full) / records[i].full);
    }
    return 8 * largest;
}

static int show_stale(Training *training, int quiet)
{
    static const char *const what[] = {"after a write to out_weight", "that is the second one"};
    const int32_t due[] = {WG_E_VERSION, WG_E_SPENT};
    int good = 1;
    for (int again = 0; again < 2; again++) {
        char text[256];
        const int refused = stale_backward(training, again) == due[again];
        wg_error_text(wg_error(training->ctx), text, sizeof text);
        if (!quiet) {
            printf("A backward %s is refused: %s\n", what[again], refused ? text : "NO");
        }
        good = good && refused;
    }
    return good;
}

int main(int argc, char **argv)
{
    Record records[MOST_RECORDS];
    Training training;
    const int quiet = argc == 3 && strcmp(argv[2], "--summary") == 0;
    if (argc != 2 && !quiet) {
        fputs("usage: training FOLDER [--summary]\n", stderr);
        return 2;
    }
    const int num_records = read_records(argv[1], records);
    const double tolerance = tolerance_of(records, num_records);
    double largest = 0;
    double loss = 0;
    int step = 0;
    begin(&training);
    if (!quiet) {
        puts("step          loss     PyTorch's   relative difference");
    }
    for (int i = 0; i < num_records; i++) {
        for (; step <= records[i].step; step++) {
            loss = train(&training);
        }
        const double difference = fabs(loss - records[i].single) / records[i].single;
        largest = fmax(largest, difference);
        if (!quiet) {
            printf("%4d  %.10f  %.10f  %.1e%s\n", records[i].step, loss, records[i].single, difference,
                   difference <= tolerance ? "" : "  WRONG");
        }
    }
    const int good = num_records > 1 && largest <= tolerance && show_stale(&training, quiet);
    end(&training);
    printf("training: %d steps in C, loss %.6f, within %.1e of PyTorch's throughout (%.1e is allowed): %s\n", step - 1,
           loss, largest, tolerance, good ? "the same" : "WRONG");
    return good ? 0 : 1;
}
