# SPDX-License-Identifier: MIT
"""A decode step of attention that appends to a key and a value cache.

The new key and value go to position `pos`, a symbolic integer, and the query attends to everything up to it. The used
parts of both caches are returned as views.
"""

import torch
from wrapgen_torch import Case

HEADS, LENGTH, WIDTH = 2, 8, 4


def step(query, key, value, key_cache, value_cache, pos):
    key_cache.select(1, pos).copy_(key)
    value_cache.select(1, pos).copy_(value)
    keys = key_cache.narrow(1, 0, pos + 1)
    values = value_cache.narrow(1, 0, pos + 1)
    scores = torch.einsum("hd,htd->ht", query, keys) / WIDTH**0.5
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("ht,htd->hd", weights, values), keys, values


def case():
    caches = [torch.zeros(HEADS, LENGTH, WIDTH) for _ in range(2)]
    for cache in caches:
        cache[:, :3] = torch.randn(HEADS, 3, WIDTH)
        torch._dynamo.mark_static(cache)
    calls = []
    for pos in (3, 4, 6):
        tokens = [torch.randn(HEADS, WIDTH) for _ in range(3)]
        for token in tokens:
            torch._dynamo.mark_static(token)
        calls.append((f"position_{pos}", (*tokens, *caches, pos)))
    return Case(
        function=step,
        calls=calls,
        outputs=["attended", "keys", "values"],
        grad_mode=False,
        dynamic=True,
        tolerance={"attended": (2.4e-7, 2.4e-7)},
    )
