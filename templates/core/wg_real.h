/* SPDX-License-Identifier: 0BSD */
/*
 * wg_real.h - a double as text: the fewest decimal digits that no other double is nearer to, with Python's words for
 * what is not finite ("2.5", "1e-05", "-0.0", "inf", "nan"). Needs no stdio and no locale; only errors come here.
 *
 * The digits are exact: a double is an integer times a power of two, which as a decimal number has at most 767 digits.
 */
#ifndef WG_REAL_H
#define WG_REAL_H

#include <stdint.h>
#include <string.h>

/* strtod, which the including file has: a header of the core brings no names of <stdlib.h>. */
typedef double WgRealReader(const char *text, char **end);

enum {
    WG_REAL_TEXT = 32, /* room for any */
    WG_REAL_MOST = 17, /* so many digits tell any two doubles apart */
    WG_REAL_LIMBS = 90,
    WG_REAL_LIMB = 9 /* decimal digits in one */
};

/* An exact decimal integer, the lowest limb first. */
typedef struct WgDecimal {
    uint32_t limbs[WG_REAL_LIMBS];
    int32_t count;
} WgDecimal;

static inline void wg_decimal_times(WgDecimal *decimal, uint32_t factor)
{
    uint64_t carry = 0;
    for (int32_t i = 0; i < decimal->count; i++) {
        carry += (uint64_t)decimal->limbs[i] * factor;
        decimal->limbs[i] = (uint32_t)(carry % 1000000000);
        carry /= 1000000000;
    }
    if (carry > 0 && decimal->count < WG_REAL_LIMBS) { /* as it always is: 767 digits take 86 */
        decimal->limbs[decimal->count++] = (uint32_t)carry;
    }
}

/* All digits of a finite value above 0, the highest first, which is not 0. Returns where the point is: so many digits
 * stand before it. */
static inline int32_t wg_real_digits(double value, char *digits, int32_t *num_digits)
{
    WgDecimal decimal = {{0}, 0};
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    const int32_t stored = (int32_t)(bits >> 52 & 2047);
    uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
    mantissa += stored > 0 ? UINT64_C(1) << 52 : 0;
    const int32_t power = (stored > 0 ? stored : 1) - 1075;
    for (; mantissa > 0; mantissa /= 1000000000) {
        decimal.limbs[decimal.count++] = (uint32_t)(mantissa % 1000000000);
    }
    for (int32_t i = 0; i < power; i++) {
        wg_decimal_times(&decimal, 2);
    }
    for (int32_t i = 0; i > power; i--) {
        wg_decimal_times(&decimal, 5); /* and a tenth, by the point */
    }
    int32_t n = 0;
    for (int32_t i = decimal.count - 1; i >= 0; i--) {
        uint32_t unit = 100000000;
        for (int32_t d = 0; d < WG_REAL_LIMB; d++, unit /= 10) {
            const char digit = (char)('0' + decimal.limbs[i] / unit % 10);
            if (n > 0 || digit != '0') {
                digits[n++] = digit;
            }
        }
    }
    *num_digits = n;
    return power < 0 ? n + power : n;
}

/* Whether the first n of them are to be rounded up: exactly half goes to the even digit. */
static inline int wg_real_goes_up(const char *digits, int32_t num_digits, int32_t n)
{
    if (n >= num_digits || digits[n] != '5') {
        return n < num_digits && digits[n] > '5';
    }
    for (int32_t i = n + 1; i < num_digits; i++) {
        if (digits[i] != '0') {
            return 1;
        }
    }
    return (digits[n - 1] - '0') % 2;
}

/* The first n of them, rounded to the nearest; *point moves when that carries. */
static inline void wg_real_round(const char *digits, int32_t num_digits, int32_t n, char *rounded, int32_t *point)
{
    int up = wg_real_goes_up(digits, num_digits, n);
    for (int32_t i = n - 1; i >= 0; i--) {
        const char digit = i < num_digits ? digits[i] : '0';
        rounded[i] = (char)(up && digit == '9' ? '0' : digit + up);
        up = up && digit == '9';
    }
    if (up) {
        memmove(rounded + 1, rounded, (size_t)n - 1);
        rounded[0] = '1';
        (*point)++;
    }
    rounded[n] = '\0';
}

static inline char *wg_real_put(char *at, const char *text)
{
    const size_t length = strlen(text);
    memcpy(at, text, length + 1);
    return at + length;
}

/* "e-05", as in Python: two digits at least. */
static inline char *wg_real_exponent(char *at, int32_t exponent)
{
    const int32_t size = exponent < 0 ? -exponent : exponent;
    *at++ = 'e';
    *at++ = exponent < 0 ? '-' : '+';
    if (size >= 100) {
        *at++ = (char)('0' + size / 100);
    }
    *at++ = (char)('0' + size / 10 % 10);
    *at++ = (char)('0' + size % 10);
    *at = '\0';
    return at;
}

static inline double wg_real_read(WgRealReader *reader, const char *rounded, int32_t n, int32_t point)
{
    char text[WG_REAL_TEXT] = {0};
    (void)wg_real_exponent(wg_real_put(text, rounded), point - n);
    return reader(text, NULL);
}

/* The first n digits, with zeros up to the point, or from it. */
static inline void wg_real_plain(char *at, const char *rounded, int32_t n, int32_t point)
{
    const int32_t end = n > point ? n : point + 1;
    for (int32_t i = point < 1 ? point - 1 : 0; i < end; i++) {
        if (i == point) {
            *at++ = '.';
        }
        *at++ = (char)(i >= 0 && i < n ? rounded[i] : '0');
    }
    *at = '\0';
}

/* The digits with a point, or with an exponent where Python has one. */
static inline void wg_real_write(char *at, const char *rounded, int32_t point)
{
    int32_t n = (int32_t)strlen(rounded);
    while (n > 1 && rounded[n - 1] == '0') {
        n--;
    }
    if (point >= -3 && point <= 16) {
        wg_real_plain(at, rounded, n, point);
        return;
    }
    *at++ = rounded[0];
    if (n > 1) {
        *at++ = '.';
        memcpy(at, rounded + 1, (size_t)n - 1);
        at += n - 1;
    }
    (void)wg_real_exponent(at, point - 1);
}

/* What is not written of `text`, and of the texts that it is made of, is 0: so each is shown to end (tests/prove). */
static inline void wg_real_text(double value, WgRealReader *reader, char *text)
{
    char digits[WG_REAL_LIMBS * WG_REAL_LIMB] = {0};
    char rounded[WG_REAL_MOST + 1] = "0";
    const double size = value < 0 ? -value : value;
    uint64_t bits = 0;
    int32_t num_digits = 0;
    int32_t point = 1;
    memcpy(&bits, &value, sizeof bits);
    memset(text, 0, WG_REAL_TEXT);
    char *at = wg_real_put(text, value == value && bits >> 63 != 0 ? "-" : "");
    if (value != value || size > 1.7976931348623157e308) {
        (void)wg_real_put(at, value != value ? "nan" : "inf");
        return;
    }
    if (size > 0) {
        const int32_t exact = wg_real_digits(size, digits, &num_digits);
        int32_t n = 0;
        double read = 0;
        do {
            n++;
            point = exact;
            wg_real_round(digits, num_digits, n, rounded, &point);
            read = wg_real_read(reader, rounded, n, point);
        } while (n < WG_REAL_MOST && (read < size || read > size));
    }
    wg_real_write(at, rounded, point);
}

#endif /* WG_REAL_H */
