/* SPDX-License-Identifier: 0BSD */
/*
 * wg_cpu.h - what the CPU can do, as a bit for each feature that a variant of a kernel may ask for.
 *
 * Words are those of Linux in /proc/cpuinfo, which only has what the system lets programs use. Where there is no such
 * file, no feature is known, so only variants that ask for none are chosen.
 */
#ifndef WG_CPU_H
#define WG_CPU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* FEATURE(NAME, word): x86, then Arm. To add one, add its line; there is room for 64. */
/* clang-format off */
#define WG_CPU_FEATURES(FEATURE)                                                                                       \
    FEATURE(SSE4_2, "sse4_2") FEATURE(AVX, "avx") FEATURE(AVX2, "avx2") FEATURE(FMA, "fma") FEATURE(F16C, "f16c")      \
    FEATURE(BMI2, "bmi2") FEATURE(AVX_VNNI, "avx_vnni") FEATURE(AVX512F, "avx512f") FEATURE(AVX512BW, "avx512bw")      \
    FEATURE(AVX512CD, "avx512cd") FEATURE(AVX512DQ, "avx512dq") FEATURE(AVX512VL, "avx512vl")                          \
    FEATURE(AVX512_VNNI, "avx512_vnni") FEATURE(AVX512_BF16, "avx512_bf16") FEATURE(AVX512_FP16, "avx512_fp16")        \
    FEATURE(AMX_TILE, "amx_tile") FEATURE(AMX_INT8, "amx_int8") FEATURE(AMX_BF16, "amx_bf16")                          \
    FEATURE(NEON, "neon") FEATURE(ASIMD, "asimd") FEATURE(ASIMDHP, "asimdhp") FEATURE(ASIMDDP, "asimddp")              \
    FEATURE(I8MM, "i8mm") FEATURE(BF16, "bf16") FEATURE(SVE, "sve") FEATURE(SVE2, "sve2") FEATURE(SME, "sme")
/* clang-format on */

typedef enum WgCpuFeature {
#define WG_CPU_CONSTANT(NAME, word) WG_CPU_##NAME,
    WG_CPU_FEATURES(WG_CPU_CONSTANT)
#undef WG_CPU_CONSTANT
        WG_CPU_COUNT
} WgCpuFeature;

/* The features of the CPU that the program runs on: bit number WG_CPU_AVX2 is 1 if it has avx2. It reads a file, so a
 * host does this once for a context. */
uint64_t wg_cpu_detect(void);

/* What a context knows: nothing at first, which is all zero. */
typedef struct WgCpu {
    uint64_t features;
    int32_t known;
} WgCpu;

/* The verb wg_cpu of a host whose context has one. */
static inline uint64_t wg_cpu_known(WgCpu *cpu)
{
    if (!cpu->known) {
        cpu->features = wg_cpu_detect();
        cpu->known = 1;
    }
    return cpu->features;
}

/* The line of /proc/cpuinfo that lists features; empty when there is none. The caller frees it; null: out of memory. */
char *wg_cpu_line(void);

/* The same for such a line. */
uint64_t wg_cpu_features_of(const char *line);

/* Is the word of that length in the line? */
int wg_cpu_line_has(const char *line, const char *word, size_t length);

#ifdef __cplusplus
}
#endif

#endif /* WG_CPU_H */
