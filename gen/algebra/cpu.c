/* SPDX-License-Identifier: MIT */
/*
 * cpu - see cpu.h.
 */
#include "cpu.h"

#include <string.h>

#include "../../templates/core/wg_cpu.h"

static const struct {
    const char *word;
    const char *constant;
} features[] = {
#define FEATURE(NAME, text) {text, "WG_CPU_" #NAME},
    WG_CPU_FEATURES(FEATURE)
#undef FEATURE
};

int32_t cpu_feature(const char *word)
{
    for (int32_t i = 0; i < WG_CPU_COUNT; i++) {
        if (strcmp(features[i].word, word) == 0) {
            return i;
        }
    }
    return -1;
}

const char *cpu_word(int32_t feature)
{
    return feature < WG_CPU_COUNT ? features[feature].word : NULL;
}

const char *cpu_constant(int32_t feature)
{
    return feature < WG_CPU_COUNT ? features[feature].constant : NULL;
}
