# SPDX-License-Identifier: MIT
"""C identifiers for the values of a captured graph.

The YAML's names become C identifiers (struct fields, parts of symbols), so they must be identifiers in C and C++, not
keywords, not reserved, and distinct. A name that is taken gets a number appended; the order of requests decides, so the
result is the same in every run.
"""

import re

KEYWORDS = frozenset(
    """
    alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand bitor bool break case catch
    char char8_t char16_t char32_t class co_await co_return co_yield compl complex concept const const_cast consteval
    constexpr constinit continue decltype default delete do double dynamic_cast else enum explicit export extern false
    float for friend goto if inline int long mutable namespace new noexcept noreturn not not_eq nullptr
    operator or or_eq private protected public reflexpr register reinterpret_cast requires restrict return short signed
    sizeof static static_assert static_cast struct switch synchronized template this thread_local throw true try
    typedef typeid typename typeof typeof_unqual union unsigned using virtual void volatile wchar_t while xor xor_eq
    null any nested linux unix errno NULL NAN INFINITY
    """.split()
)

DEPLOYED = "model_"  # begins what is generated for a program that is deployed


def model_symbol(name):
    """What the compiled model of a graph is called: in a file model.py not as the wrapper is, model_model."""
    return f"compiled_{name}" if name.startswith(DEPLOYED.strip("_")) else f"{name}_model"


def identifier(text):
    """`text` with everything that an identifier cannot hold turned into single underscores."""
    name = re.sub(r"[^0-9A-Za-z]+", "_", text).strip("_")
    if not name:
        name = "value"
    if name[0].isdigit():
        name = "n" + name
    if name in KEYWORDS:
        name += "_value"
    return name


class Names:
    """Hands out distinct identifiers."""

    def __init__(self):
        self._taken = set()

    def take(self, wanted):
        name = identifier(wanted)
        number = 2
        unique = name
        while unique in self._taken:
            unique = f"{name}_{number}"
            number += 1
        self._taken.add(unique)
        return unique


def from_source(source):
    """A readable name from Dynamo's source expression of an input: `L['self']._modules['bn']._parameters['weight']`
    gives `bn_weight`, `L['x'].size()[0]` gives `x_size_0`."""
    words = re.findall(r"[A-Za-z_][A-Za-z0-9_]*|\d+", source)
    skipped = {"L", "G", "self", "_modules", "_parameters", "_buffers"}
    kept = [word for word in words if word not in skipped]
    return "_".join(kept) if kept else "input"
