/* SPDX-License-Identifier: MIT */
/* wg_seen_place, wg_seen_next: addresses in a table of places against a list of them that is searched from its start.
 */
#include "templates/core/wg_core.h"

#include <stdbool.h>

#include "check.h"

enum { BITS = 4, PLACES = 1 << BITS, ADDRESSES = 24, ROUNDS = 2000 };

static char memory[64 * ADDRESSES];

static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}

static bool is_listed(const void *const *list, size_t n, const void *address)
{
    for (size_t i = 0; i < n; i++) {
        if (list[i] == address) {
            return true;
        }
    }
    return false;
}

/* The place of the address, or the free one where it belongs. PLACES: the search left the table, or did not end. */
static size_t find(const void *const *seen, const void *address)
{
    size_t place = wg_seen_place(BITS, address);
    for (int tries = 0; tries < PLACES && place < PLACES; tries++) {
        if (seen[place] == NULL || seen[place] == address) {
            return place;
        }
        place = wg_seen_next(BITS, place);
    }
    return PLACES;
}

/* As many addresses as a table of that size is filled with, drawn with repetition, 16 or 64 bytes apart. */
static bool is_round_right(uint32_t *state)
{
    const void *seen[PLACES] = {NULL};
    const void *list[PLACES / 2];
    const size_t step = next(state) % 2 == 0 ? 16 : 64;
    bool right = true;
    for (size_t n = 0; n < PLACES / 2; n++) {
        const char *address = memory + step * (next(state) % ADDRESSES);
        const size_t place = find(seen, address);
        right = right && place < PLACES && (seen[place] != NULL) == is_listed(list, n, address);
        seen[right ? place : 0] = address;
        list[n] = address;
    }
    for (size_t i = 0; i < ADDRESSES; i++) {
        const char *address = memory + step * i;
        const size_t place = find(seen, address);
        right = right && place < PLACES && (seen[place] != NULL) == is_listed(list, PLACES / 2, address);
    }
    return right;
}

int main(void)
{
    uint32_t state = 1;
    bool right = true;
    bool all = true;
    bool different = false;
    size_t place = wg_seen_place(BITS, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        right = is_round_right(&state) && right;
    }
    check(right, "%d tables know their addresses", ROUNDS);

    bool passed[PLACES] = {false};
    for (int i = 0; i < PLACES; i++, place = wg_seen_next(BITS, place)) {
        all = all && place < PLACES && !passed[place];
        passed[all ? place : 0] = true;
    }
    check(all, "from one place on, each comes once");
    for (size_t i = 1; i < ADDRESSES; i++) {
        different = different || wg_seen_place(BITS, memory) != wg_seen_place(BITS, memory + 16 * i);
    }
    check(different, "addresses are spread");
    return check_done();
}
