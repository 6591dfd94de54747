/* SPDX-License-Identifier: MIT */
/*
 * validate_reserved - names that generated code cannot use, because C, C++ or their libraries have taken them.
 *
 * Sorted lists, put into one table for a run. Keywords: C11 6.4.1, C23 6.4.1,
 * C++23 [lex.key] and its alternative tokens; import and module are identifiers with a special meaning and stay
 * allowed. Macros: those of stddef.h, stdint.h, stdbool.h and stdalign.h that look like identifiers, and what gcc and
 * clang define outside the reserved space on the platforms we know. Library: C11 7 and POSIX.1-2008 functions and
 * objects with external linkage that somebody might pick as a name; as struct members and stems of locals they are
 * fine.
 */
#include "validate.h"

#include <string.h>

/* clang-format off */
static const char *const keywords[] = {
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
    "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield", "compl", "concept", "const",
    "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype", "default", "delete", "do", "double",
    "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
    "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
    "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires", "restrict", "return",
    "short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this",
    "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "typeof", "typeof_unqual", "union",
    "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
};

static const char *const macros[] = {
    "INT16_C", "INT16_MAX", "INT16_MIN", "INT32_C", "INT32_MAX", "INT32_MIN", "INT64_C", "INT64_MAX", "INT64_MIN",
    "INT8_C", "INT8_MAX", "INT8_MIN", "INTMAX_C", "INTMAX_MAX", "INTMAX_MIN", "INTPTR_MAX", "INTPTR_MIN",
    "INT_FAST16_MAX", "INT_FAST16_MIN", "INT_FAST32_MAX", "INT_FAST32_MIN", "INT_FAST64_MAX", "INT_FAST64_MIN",
    "INT_FAST8_MAX", "INT_FAST8_MIN", "INT_LEAST16_MAX", "INT_LEAST16_MIN", "INT_LEAST32_MAX", "INT_LEAST32_MIN",
    "INT_LEAST64_MAX", "INT_LEAST64_MIN", "INT_LEAST8_MAX", "INT_LEAST8_MIN", "NULL", "PTRDIFF_MAX", "PTRDIFF_MIN",
    "SIG_ATOMIC_MAX", "SIG_ATOMIC_MIN", "SIZE_MAX", "UINT16_C", "UINT16_MAX", "UINT32_C", "UINT32_MAX", "UINT64_C",
    "UINT64_MAX", "UINT8_C", "UINT8_MAX", "UINTMAX_C", "UINTMAX_MAX", "UINTPTR_MAX", "UINT_FAST16_MAX",
    "UINT_FAST32_MAX", "UINT_FAST64_MAX", "UINT_FAST8_MAX", "UINT_LEAST16_MAX", "UINT_LEAST32_MAX",
    "UINT_LEAST64_MAX", "UINT_LEAST8_MAX", "WCHAR_MAX", "WCHAR_MIN", "WINT_MAX", "WINT_MIN", "errno", "i386", "linux",
    "offsetof", "unix",
};

static const char *const library[] = {
    "abort", "abs", "accept", "access", "acos", "acosf", "acosh", "acoshf", "acoshl", "acosl", "alarm",
    "aligned_alloc", "alloca", "asctime", "asin", "asinf", "asinh", "asinhf", "asinhl", "asinl", "assert",
    "at_quick_exit", "atan", "atan2", "atan2f", "atan2l", "atanf", "atanh", "atanhf", "atanhl", "atanl", "atexit",
    "atof", "atoi", "atol", "atoll", "basename", "bcmp", "bcopy", "bind", "brk", "bsearch", "bzero", "cabs", "cabsf",
    "cabsl", "cacos", "cacosh", "calloc", "carg", "casin", "casinh", "catan", "catanh", "cbrt", "cbrtf", "cbrtl",
    "ccos", "ccosh", "ceil", "ceilf", "ceill", "cexp", "chdir", "chmod", "chown", "cimag", "clearerr", "clock",
    "clog", "close", "closedir", "conj", "connect", "copysign", "copysignf", "copysignl", "cos", "cosf", "cosh",
    "coshf", "coshl", "cosl", "cpow", "cproj", "creal", "creat", "csin", "csinh", "csqrt", "ctan", "ctanh", "ctermid",
    "ctime", "difftime", "dirname", "div", "dlclose", "dlerror", "dlopen", "dlsym", "dprintf", "drand48", "dup",
    "dup2", "environ", "erand48", "erf", "erfc", "erfcf", "erfcl", "erff", "erfl", "err", "errx", "execl", "execv",
    "execve", "execvp", "exit", "exp", "exp2", "exp2f", "exp2l", "expf", "expl", "expm1", "expm1f", "expm1l", "fabs",
    "fabsf", "fabsl", "fchdir", "fchmod", "fclose", "fcntl", "fdim", "fdimf", "fdiml", "fdopen", "feof", "ferror",
    "fflush", "ffs", "fgetc", "fgetpos", "fgets", "fgetwc", "fgetws", "fileno", "floor", "floorf", "floorl", "fma",
    "fmaf", "fmal", "fmax", "fmaxf", "fmaxl", "fmin", "fminf", "fminl", "fmod", "fmodf", "fmodl", "fopen", "fork",
    "fprintf", "fputc", "fputs", "fread", "free", "freopen", "frexp", "frexpf", "frexpl", "fscanf", "fseek",
    "fsetpos", "fstat", "fsync", "ftell", "ftruncate", "ftw", "fwrite", "gamma", "getc", "getchar", "getcwd",
    "getegid", "getenv", "geteuid", "getgid", "getline", "getopt", "getpid", "getppid", "getrandom", "gets",
    "gettimeofday", "getuid", "glob", "gmtime", "hypot", "hypotf", "hypotl", "iconv", "ilogb", "ilogbf", "ilogbl",
    "index", "initstate", "ioctl", "isalnum", "isalpha", "isatty", "isblank", "iscntrl", "isdigit", "isgraph",
    "islower", "isprint", "ispunct", "isspace", "isupper", "isxdigit", "j0", "j1", "jn", "jrand48", "kill", "labs",
    "lchown", "ldexp", "ldexpf", "ldexpl", "ldiv", "lgamma", "lgammaf", "lgammal", "link", "listen", "llabs", "lldiv",
    "llrint", "llrintf", "llrintl", "llround", "llroundf", "llroundl", "localeconv", "localtime", "log", "log10",
    "log10f", "log10l", "log1p", "log1pf", "log1pl", "log2", "log2f", "log2l", "logb", "logbf", "logbl", "logf",
    "logl", "longjmp", "lrand48", "lrint", "lrintf", "lrintl", "lround", "lroundf", "lroundl", "lseek", "lstat",
    "main", "malloc", "mblen", "mbstowcs", "mbtowc", "memccpy", "memchr", "memcmp", "memcpy", "memmem", "memmove",
    "memset", "mkdir", "mkfifo", "mkstemp", "mktime", "mmap", "modf", "modff", "modfl", "mprotect", "mrand48",
    "munmap", "nan", "nanf", "nanl", "nanosleep", "nearbyint", "nearbyintf", "nearbyintl", "nextafter", "nextafterf",
    "nextafterl", "nexttoward", "nice", "nrand48", "open", "opendir", "optarg", "opterr", "optind", "optopt", "pause",
    "pclose", "perror", "pipe", "poll", "popen", "posix_memalign", "pow", "powf", "powl", "pread", "printf", "putc",
    "putchar", "putenv", "puts", "putw", "pwrite", "qsort", "quick_exit", "raise", "rand", "rand_r", "random", "read",
    "readdir", "readlink", "realloc", "realpath", "recv", "regcomp", "regexec", "remainder", "remainderf",
    "remainderl", "remove", "remquo", "remquof", "remquol", "rename", "rewind", "rindex", "rint", "rintf", "rintl",
    "rmdir", "round", "roundf", "roundl", "sbrk", "scalb", "scalbln", "scalblnf", "scalblnl", "scalbn", "scalbnf",
    "scalbnl", "scanf", "seed48", "select", "send", "setbuf", "setenv", "setjmp", "setlocale", "setsid", "setstate",
    "setuid", "setvbuf", "shutdown", "sigaction", "signal", "signgam", "sin", "sinf", "sinh", "sinhf", "sinhl",
    "sinl", "sleep", "snprintf", "socket", "sprintf", "sqrt", "sqrtf", "sqrtl", "srand", "srand48", "srandom",
    "sscanf", "stat", "stderr", "stdin", "stdout", "strcasecmp", "strcat", "strchr", "strcmp", "strcoll", "strcpy",
    "strcspn", "strdup", "strerror", "strftime", "strlen", "strncasecmp", "strncat", "strncmp", "strncpy", "strndup",
    "strpbrk", "strrchr", "strsep", "strsignal", "strspn", "strstr", "strtod", "strtof", "strtok", "strtol",
    "strtold", "strtoll", "strtoul", "strtoull", "strxfrm", "swab", "symlink", "sync", "syscall", "sysconf", "syslog",
    "system", "tan", "tanf", "tanh", "tanhf", "tanhl", "tanl", "tcgetattr", "tempnam", "tgamma", "tgammaf", "tgammal",
    "time", "timegm", "times", "timezone", "tmpfile", "tmpnam", "tolower", "toupper", "trunc", "truncate", "truncf",
    "truncl", "ttyname", "tzset", "umask", "uname", "ungetc", "unlink", "unsetenv", "usleep", "utime", "vfprintf",
    "vfscanf", "vprintf", "vscanf", "vsnprintf", "vsprintf", "vsscanf", "wait", "waitpid", "warn", "warnx", "wcscat",
    "wcschr", "wcscmp", "wcscpy", "wcslen", "wcsncmp", "wcsncpy", "wcstod", "wcstombs", "wctomb", "wmemcpy", "write",
    "y0", "y1", "yn",
};
static const char *const types[] = {
    "FILE", "clock_t", "div_t", "fpos_t", "gid_t", "imaxdiv_t", "int16_t", "int32_t", "int64_t", "int8_t",
    "int_fast16_t", "int_fast32_t", "int_fast64_t", "int_fast8_t", "int_least16_t", "int_least32_t", "int_least64_t",
    "int_least8_t", "intmax_t", "intptr_t", "ldiv_t", "lldiv_t", "locale_t", "max_align_t", "mode_t", "nullptr_t",
    "off_t", "pid_t", "ptrdiff_t", "size_t", "ssize_t", "time_t", "uid_t", "uint16_t", "uint32_t", "uint64_t",
    "uint8_t", "uint_fast16_t", "uint_fast32_t", "uint_fast64_t", "uint_fast8_t", "uint_least16_t", "uint_least32_t",
    "uint_least64_t", "uint_least8_t", "uintmax_t", "uintptr_t", "va_list", "wint_t",
};

/* Parameters and locals of generated functions that are called so whatever the YAML says. */
static const char *const locals[] = {
    "all", "args", "at", "attrs", "autocast", "cache", "call_args", "capacity", "count", "ctx", "dimensions", "expected",
    "fields", "geometry", "grad_mode", "grads", "hash", "i", "in", "key", "num_args",
    "num_entries", "num_grads", "num_outs", "num_results", "num_used", "num_values", "num_words", "out", "outer",
    "outs", "overflow", "present", "replacement", "results", "rng_offset", "rng_seed", "rng_states", "saved",
    "scratch", "sizes", "slot", "status", "strides", "symints", "tangents", "tensors", "tries",
    "unchecked", "values", "variant", "version", "versions", "view_replay", "words",
};
static const char *const words[] = {"any", "false", "nested", "null", "true"};
/* clang-format on */

static const struct {
    const char *const *list;
    size_t count;
} lists[] = {
    [RESERVED_WORD] = {words, sizeof words / sizeof words[0]}, /* before the keywords true and false */
    [RESERVED_KEYWORD] = {keywords, sizeof keywords / sizeof keywords[0]},
    [RESERVED_MACRO] = {macros, sizeof macros / sizeof macros[0]},
    [RESERVED_LIBRARY] = {library, sizeof library / sizeof library[0]},
    [RESERVED_TYPE] = {types, sizeof types / sizeof types[0]},
    [RESERVED_LOCAL] = {locals, sizeof locals / sizeof locals[0]},
};

void reserved_fill(Table *table)
{
    for (uint32_t list = 0; list < sizeof lists / sizeof lists[0]; list++) {
        for (size_t i = 0; i < lists[list].count; i++) {
            (void)table_add(table, lists[list].list[i], strlen(lists[list].list[i]), list, 0);
        }
    }
}
