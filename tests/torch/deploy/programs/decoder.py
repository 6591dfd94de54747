# SPDX-License-Identifier: MIT
"""One step of a small transformer: keys and values go into a cache, which the model writes to."""

import torch
from torch import nn

from wrapgen_torch import Case

WIDTH, HEADS, LENGTH, WORDS = 16, 2, 8, 11


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.norm = nn.Embedding(WORDS, WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WORDS)
        self.register_buffer("keys", torch.zeros(HEADS, LENGTH, WIDTH // HEADS))
        self.register_buffer("values", torch.zeros(HEADS, LENGTH, WIDTH // HEADS))

    def forward(self, token, position):
        x = self.embed(token)
        q, k, v = self.qkv(self.norm(x)).view(3, HEADS, 1, WIDTH // HEADS).unbind(0)
        self.keys.index_copy_(1, position, k)
        self.values.index_copy_(1, position, v)
        seen = torch.arange(LENGTH) <= position
        y = nn.functional.scaled_dot_product_attention(q, self.keys, self.values, attn_mask=seen.view(1, 1, LENGTH))
        return self.out(x + y.reshape(1, WIDTH))


def case():
    calls = [(f"word_{i}", (torch.tensor([word]), torch.tensor([i]))) for i, word in enumerate((3, 7, 1))]
    return Case(Decoder().eval(), calls, outputs=["logits"])
