/* SPDX-License-Identifier: MIT */
/*
 * pipeline - one input through the whole tool, in this process.
 */
#ifndef FUZZ_PIPELINE_H
#define FUZZ_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Pipeline {
    const char *scratch; /* a folder that is ours: the input is written there */
    const char *mock;    /* the description of a host that has every verb */
} Pipeline;

/* Ways to run the tool over one input; pipeline_name() says which way that is. */
enum { PIPELINE_WAYS = 10, PIPELINE_SELFTEST = 1 };
const char *pipeline_name(size_t way);

/* What the way's command line adds to --in and --out, for those who do the same with the tool itself. */
const char *pipeline_arguments(size_t way);

typedef enum PipelineResult { PIPELINE_REFUSED, PIPELINE_ACCEPTED, PIPELINE_WRONG } PipelineResult;

/* What is wrong is in `complaint`: an internal error, a template error, a message without a place, a refusal without a
 * message, bytes that are different the second time. Crashes are the caller's to notice. */
PipelineResult pipeline_run(const Pipeline *pipeline, size_t way, const char *text, size_t length, char *complaint,
                            size_t capacity);

#endif /* FUZZ_PIPELINE_H */
