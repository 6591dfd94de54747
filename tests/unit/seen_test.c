/* SPDX-License-Identifier: MIT */
/* wg_see, wg_is_seen: addresses in a table against a list of them that is searched from its start. */
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

/* As many addresses as a table of that size is filled with, drawn with repetition, 16 or 64 bytes apart. */
static bool is_round_right(uint32_t *state)
{
    const void *seen[PLACES] = {NULL};
    const void *list[PLACES / 2];
    const size_t step = next(state) % 2 == 0 ? 16 : 64;
    bool right = true;
    for (size_t n = 0; n < PLACES / 2; n++) {
        const char *address = memory + step * (next(state) % ADDRESSES);
        right = right && wg_see(seen, BITS, address) == (int)is_listed(list, n, address);
        list[n] = address;
    }
    for (size_t i = 0; i < ADDRESSES; i++) {
        const char *address = memory + step * i;
        right = right && wg_is_seen(seen, BITS, address) == (int)is_listed(list, PLACES / 2, address);
    }
    return right;
}

int main(void)
{
    uint32_t state = 1;
    bool right = true;
    for (int i = 0; i < ROUNDS; i++) {
        right = is_round_right(&state) && right;
    }
    check(right, "%d tables know their addresses", ROUNDS);

    const void *seen[PLACES] = {NULL};
    check(wg_see(seen, BITS, NULL) == 1 && wg_is_seen(seen, BITS, NULL) == 1, "null may always have been seen");
    check(wg_see(seen, BITS, memory) == 0 && wg_is_seen(seen, BITS, memory) == 1, "and takes no place");
    return check_done();
}
