/* SPDX-License-Identifier: 0BSD */
/*
 * wg_key_text - a key as text:
 *
 *     matmul: a=float16[128, 64] strides [64, 1] static {1} on cuda; bias=null; n=4
 *     matmul: a=float16[2+, 1, =64] int64 on cuda; mode="fast"
 *
 * 2+ is the bucket of all other sizes, =64 a size by value, * a stride without effect, int64 too many elements for 32
 * bits. A key that is too short for its description ends with "?".
 */
#include "wg_key_text.h"

#include <stdlib.h>
#include <string.h>

#include "wg_core.h"
#include "wg_real.h"
#include "wg_text.h"

typedef struct Reader {
    const WgKeyItem *next;
    const WgKeyItem *end;
    const uint64_t *words;
    const uint64_t *words_end;
    WgText text;
    int short_of; /* words */
} Reader;

static void key_put(Reader *reader, const char *string)
{
    wg_text_put(&reader->text, string);
}

static void put_number(Reader *reader, int64_t number)
{
    wg_text_put_integer(&reader->text, number);
}

static uint64_t take(Reader *reader)
{
    if (reader->words >= reader->words_end) {
        reader->short_of = 1;
        return 0;
    }
    return *reader->words++;
}

static void put_dimension(Reader *reader)
{
    const uint64_t word = take(reader);
    if (word == UINT64_C(0x8000000000000000)) {
        key_put(reader, "*");
    } else if (word == UINT64_C(0x8000000000000001)) {
        key_put(reader, "<");
        wg_text_put_unsigned(&reader->text, take(reader));
        key_put(reader, ":");
        wg_text_put_unsigned(&reader->text, take(reader));
        key_put(reader, ">");
    } else if (word == UINT64_C(0x8000000000000002)) {
        key_put(reader, "none");
    } else {
        put_number(reader, (int64_t)word);
    }
}

static void put_dimensions(Reader *reader, uint64_t rank)
{
    key_put(reader, "[");
    for (uint64_t d = 0; d < rank; d++) {
        key_put(reader, d > 0 ? ", " : "");
        put_dimension(reader);
    }
    key_put(reader, "]");
}

/* Dims of one word each: sizes in the lower halves, strides in the upper. */
static void put_packed(Reader *reader, uint64_t rank)
{
    const uint64_t *const words = reader->words;
    for (int part = 0; part < 2; part++) {
        key_put(reader, part > 0 ? " strides [" : "[");
        reader->words = words;
        for (uint64_t d = 0; d < rank; d++) {
            const uint64_t half = take(reader) >> (32 * part) & UINT32_MAX;
            key_put(reader, d > 0 ? ", " : "");
            if (half == UINT32_MAX) {
                key_put(reader, "*");
            } else {
                put_number(reader, (int64_t)half);
            }
        }
        key_put(reader, "]");
    }
}

static void put_buckets(Reader *reader, uint64_t head, uint64_t rank)
{
    static const char *const buckets[] = {"0", "1", "2+", "="};
    key_put(reader, "[");
    for (uint64_t d = 0; d < rank; d++) {
        const uint64_t bucket = head >> (32 + 2 * d) & 3;
        key_put(reader, d > 0 ? ", " : "");
        key_put(reader, buckets[bucket]);
        if (bucket == 3) {
            put_dimension(reader);
        }
    }
    key_put(reader, "]");
}

static void put_tensor(Reader *reader, const WgKeyItem *item, uint64_t head)
{
    const uint64_t rank = head >> 16 & 31;
    const uint64_t device = head >> 24 & 255;
    key_put(reader, wg_dtype_name((int32_t)(head >> 8 & 255)));
    if (!item->static_shapes) {
        put_buckets(reader, head, rank > 16 ? 16 : rank);
        key_put(reader, (head & 16) != 0 ? " int64" : "");
    } else {
        if ((head & 32) != 0) {
            put_dimensions(reader, rank);
            key_put(reader, " strides ");
            put_dimensions(reader, rank);
        } else {
            put_packed(reader, rank);
        }
        const char *before = " static {";
        for (int32_t d = 0; d < 16; d++) {
            if ((head >> (32 + d) & 1) != 0) {
                key_put(reader, before);
                put_number(reader, d);
                before = ", ";
            }
        }
        key_put(reader, head >> 32 != 0 ? "}" : "");
    }
    key_put(reader, (head & 64) != 0 ? " conjugated" : "");
    key_put(reader, (head & 128) != 0 ? " negated" : "");
    if (device != 255) {
        key_put(reader, " on ");
        key_put(reader, wg_device_type_name((int32_t)device));
    }
}

static void put_string(Reader *reader)
{
    const uint64_t n = take(reader);
    key_put(reader, "\"");
    for (uint64_t i = 0; i < n && !reader->short_of; i += 8) {
        const uint64_t word = take(reader);
        for (uint64_t byte = 0; byte < 8 && i + byte < n; byte++) {
            const char text[2] = {(char)(word >> (8 * byte) & 255), '\0'};
            key_put(reader, text);
        }
    }
    key_put(reader, "\"");
}

static void key_put_real(Reader *reader)
{
    const uint64_t bits = take(reader);
    char text[WG_REAL_TEXT];
    double real = 0;
    memcpy(&real, &bits, sizeof real);
    wg_real_text(real, strtod, text);
    key_put(reader, text);
}

static void put_item(Reader *reader);

static void put_items(Reader *reader, const WgKeyItem *item)
{
    const WgKeyItem *const first = reader->next;
    const uint64_t n = item->kind == WG_KEY_KIND_LIST ? take(reader) : (uint64_t)item->num_items;
    key_put(reader, item->kind == WG_KEY_KIND_LIST ? "[" : item->kind == WG_KEY_KIND_TUPLE ? "(" : "{");
    for (uint64_t i = 0; i < n && !reader->short_of; i++) {
        key_put(reader, i > 0 ? ", " : "");
        if (item->kind == WG_KEY_KIND_LIST) {
            reader->next = first;
        }
        put_item(reader);
    }
    key_put(reader, item->kind == WG_KEY_KIND_LIST ? "]" : item->kind == WG_KEY_KIND_TUPLE ? ")" : "}");
}

/* Skips the descriptions of everything below an item. */
static void skip(Reader *reader, const WgKeyItem *item)
{
    for (int32_t left = item->num_items; left > 0 && reader->next < reader->end; left--) {
        left += reader->next->num_items;
        reader->next++;
    }
}

/* Its value, or the numbers that it is over. */
static void put_formula(Reader *reader, const WgKeyItem *item)
{
    const uint64_t tag = take(reader);
    if (tag == 2) {
        put_items(reader, item);
        return;
    }
    const uint64_t value = take(reader);
    if (tag == 0) {
        key_put(reader, "none");
    } else {
        put_number(reader, (int64_t)value);
    }
}

static void key_put_value(Reader *reader, const WgKeyItem *item, uint64_t head)
{
    switch ((WgKeyKind)item->kind) {
    case WG_KEY_KIND_TENSOR:
        put_tensor(reader, item, head);
        break;
    case WG_KEY_KIND_INT:
        if (item->by_value) {
            put_number(reader, (int64_t)take(reader));
        } else {
            key_put(reader, "int");
        }
        break;
    case WG_KEY_KIND_FLOAT:
        if (item->by_value) {
            key_put_real(reader);
        } else {
            key_put(reader, "float");
        }
        break;
    case WG_KEY_KIND_BOOL:
        key_put(reader, !item->by_value ? "bool" : take(reader) != 0 ? "true" : "false");
        break;
    case WG_KEY_KIND_STRING:
        put_string(reader);
        break;
    case WG_KEY_KIND_DTYPE:
        key_put(reader, wg_dtype_name((int32_t)take(reader)));
        break;
    case WG_KEY_KIND_DEVICE: {
        const uint64_t device = take(reader);
        key_put(reader, wg_device_type_name((int32_t)(device >> 8 & 255)));
        key_put(reader, ":");
        put_number(reader, (int64_t)(device & 255));
        break;
    }
    case WG_KEY_KIND_NULL:
        key_put(reader, "null");
        break;
    case WG_KEY_KIND_TUPLE:
    case WG_KEY_KIND_LIST:
    case WG_KEY_KIND_RECORD:
        put_items(reader, item);
        break;
    case WG_KEY_KIND_EXTRA:
        put_dimension(reader);
        break;
    case WG_KEY_KIND_NUMBER:
        put_number(reader, (int64_t)take(reader));
        break;
    case WG_KEY_KIND_FORMULA:
        put_formula(reader, item);
        break;
    }
}

static void put_item(Reader *reader)
{
    const WgKeyItem *const item = reader->next++;
    const WgKeyItem *const below = reader->next;
    const int tensor = item->kind == WG_KEY_KIND_TENSOR;
    uint64_t head = 0;
    if (item->name != NULL) {
        key_put(reader, item->name);
        key_put(reader, "=");
    }
    if (item->nullable || tensor) {
        head = take(reader);
    }
    if (tensor && (head & 15) == 2) {
        key_put(reader, "tensor ");
        put_number(reader, (int64_t)(head >> 8));
        key_put(reader, " again, ");
        head = take(reader);
    }
    if (item->nullable && head == 0) {
        key_put(reader, "null");
    } else {
        key_put_value(reader, item, head);
    }
    reader->next = below;
    skip(reader, item);
}

size_t wg_key_print(const char *kernel, const WgKeyItem *items, size_t num_items, const uint64_t *words,
                    size_t num_words, char *buffer, size_t capacity)
{
    const WgKeyItem *const end = num_items > 0 ? items + num_items : items; /* of no items, both are null */
    Reader reader = {items, end, words, words + num_words, {buffer, capacity, 0}, 0};
    key_put(&reader, kernel);
    for (const char *before = ": "; reader.next < reader.end && !reader.short_of; before = "; ") {
        key_put(&reader, before);
        put_item(&reader);
    }
    key_put(&reader, reader.short_of || reader.words != reader.words_end ? " ?" : "");
    if (capacity > 0) {
        buffer[reader.text.length < capacity ? reader.text.length : capacity - 1] = '\0';
    }
    return reader.text.length;
}
