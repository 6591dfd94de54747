/* SPDX-License-Identifier: 0BSD */
/*
 * wg_cpu - what the CPU can do (wg_cpu.h).
 */
#include "wg_cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lines of /proc/cpuinfo are not longer than this; a longer one would be read in parts. */
enum { CPU_LINE = 16384 };

static const char *const cpu_words[] = {
#define WG_CPU_WORD(NAME, word) word,
    WG_CPU_FEATURES(WG_CPU_WORD)
#undef WG_CPU_WORD
};

char *wg_cpu_line(void)
{
    char *line = malloc(CPU_LINE);
    FILE *file = line == NULL ? NULL : fopen("/proc/cpuinfo", "r");
    int found = 0;
    while (file != NULL && !found && fgets(line, CPU_LINE, file) != NULL) {
        found = strncmp(line, "flags", 5) == 0 || strncmp(line, "Features", 8) == 0;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    if (line != NULL && !found) {
        line[0] = '\0';
    }
    return line;
}

int wg_cpu_line_has(const char *line, const char *word, size_t length)
{
    for (const char *found = strchr(line, ':'); found != NULL; found = strchr(found + 1, ' ')) {
        if (strncmp(found + 1, word, length) == 0 && strchr(" \t\n", found[1 + length]) != NULL) {
            return 1;
        }
    }
    return 0;
}

uint64_t wg_cpu_features_of(const char *line)
{
    uint64_t features = 0;
    for (size_t i = 0; i < WG_CPU_COUNT; i++) {
        if (wg_cpu_line_has(line, cpu_words[i], strlen(cpu_words[i]))) {
            features |= UINT64_C(1) << i;
        }
    }
    return features;
}

uint64_t wg_cpu_detect(void)
{
    char *line = wg_cpu_line();
    const uint64_t features = line == NULL ? 0 : wg_cpu_features_of(line);
    free(line);
    return features;
}
