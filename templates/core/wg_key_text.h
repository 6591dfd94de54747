/* SPDX-License-Identifier: 0BSD */
/*
 * wg_key_text.h - describes a key as data and prints it for people by that description. Nothing here is on a hot path,
 * and nothing needs a host. wg_key.h has the encoding.
 */
#ifndef WG_KEY_TEXT_H
#define WG_KEY_TEXT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum WgKeyKind {
    WG_KEY_KIND_TENSOR,
    WG_KEY_KIND_INT,
    WG_KEY_KIND_FLOAT,
    WG_KEY_KIND_BOOL,
    WG_KEY_KIND_STRING,
    WG_KEY_KIND_DTYPE,
    WG_KEY_KIND_DEVICE,
    WG_KEY_KIND_NULL,
    WG_KEY_KIND_TUPLE,
    WG_KEY_KIND_LIST,
    WG_KEY_KIND_RECORD,
    WG_KEY_KIND_EXTRA,  /* a size or stride */
    WG_KEY_KIND_NUMBER, /* of key_extra; an integer of an expression */
    WG_KEY_KIND_FORMULA /* an expression; its items are the numbers in it */
} WgKeyKind;

/* One component, followed by the components of its items (for a list, of one item). */
typedef struct WgKeyItem {
    const char *name; /* null where it has none */
    int32_t kind;     /* WgKeyKind */
    int32_t nullable;
    int32_t by_value;
    int32_t static_shapes; /* of the kernel; for tensors */
    int32_t num_items;     /* directly below */
} WgKeyItem;

/* Writes a key as one line, always terminated when capacity > 0; returns the length that a large enough buffer would
 * have held, as snprintf does. */
size_t wg_key_print(const char *kernel, const WgKeyItem *items, size_t num_items, const uint64_t *words,
                    size_t num_words, char *buffer, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif /* WG_KEY_TEXT_H */
