# SPDX-License-Identifier: MIT
"""Calls of a guarded graph by code that runs while what it reads dies: dying.py LIBRARY.

CPython stores an attribute of a plain object in this order, once the store is warm: the new value, the end of the old one, the dict's
version. So whoever runs at that end finds the new value in a dict that says that it has not changed.
"""

import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "cmd"))

import torch  # noqa: E402
from wrapgen_torch.extension import load_extension  # noqa: E402

MARKED = 3
ENOUGH = {f"k{i}": i for i in range(20)}
x = torch.zeros(2)
module = load_extension(sys.argv[1])
module.bind("marked_kernel", lambda args: [args.pop() + 1])


class Thing:
    pass


class Holder:
    pass


def store(thing, value):
    thing.value = value


def warm(dict_of_its_own):
    thing = Thing()
    if dict_of_its_own:
        thing.__dict__ = {"value": 0, "other": 1}
    for i in range(100):
        store(thing, i)
    return thing


def calling(thing, alias, *steps):
    """What calls the graph, and what it saw last. The thing is bound, or a dict that has its __dict__."""
    first = ((0, "item", "alias"), (3, "item", "value")) if alias else ((0, "attr", "value"),)
    steps = (*first, *((2 + len(first) + i, *step) for i, step in enumerate(steps)))
    seen, last = [], 2 + len(steps)
    tests = (("holds", last, (lambda value: seen.append(type(value)) or True, (last,))), *(("with", 2, key) for key in ENOUGH))
    bound = {"alias": vars(thing)} if alias else thing
    call = module.guarded(MARKED, (bound,), 1, (ENOUGH,), steps, tests, (lambda: True, False), (None, ()), (1,), None)
    return lambda: call(x), seen


def an_inner_object_ends(alias, own):
    thing = warm(own)
    call, seen = calling(thing, alias)
    during = []

    class Inner:
        def __del__(self):
            call()
            during.append(seen[-1] is type(thing.value))

    for i in range(100):
        holder = Holder()
        holder.inner = Inner()
        store(thing, holder)
        del holder
        call(), call()
        store(thing, i)
    call()  # what was kept ends at the latest with the next call
    assert len(during) == 100 and all(during), during


def a_part_of_a_tuple_ends(alias, own):
    thing = warm(own)
    call, seen = calling(thing, alias, ("item", 2))

    class Part:
        def __del__(self):
            call()

    for i in range(100):
        store(thing, (Part(), Part(), Holder()))
        call(), call()
        assert seen[-1] is Holder
        store(thing, (i, i, i))
        call()
        assert seen[-1] is int
        for one in [Holder() for _ in range(50)]:  # in the memory of what has ended
            one.a = 1


def a_long_chain_ends(alias, own):
    """CPython ends the last of so many after the first is gone."""
    thing = warm(own)
    call, seen = calling(thing, alias, ("item", 1))

    class End:
        def __del__(self):
            self.junk = [bytes(40 + 8 * i) for i in range(20)] + [(i,) * 3 for i in range(20)]  # in the memory of those
            call()

    for i in range(50):
        chain = (End(),)
        for _ in range(120):
            chain = (chain,)
        store(thing, (chain, Holder()))
        del chain
        call(), call()
        assert seen[-1] is Holder
        store(thing, (i, i))
        call()
        assert seen[-1] is int and set(seen) <= {Holder, int}, set(seen)


def another_thread_calls(alias, own):
    thing = warm(own)
    call, seen = calling(thing, alias)
    ended = whole = False

    class Slow:
        def __del__(self):
            time.sleep(0.0005)  # the other thread runs

    def run():
        nonlocal whole
        while not ended:
            call()
        whole = True

    thread = threading.Thread(target=run)
    thread.start()
    for _ in range(300):
        holder = Holder()
        holder.inner = Slow()
        store(thing, holder)
        del holder
        time.sleep(0.0002)
        store(thing, 0)
    ended = True
    thread.join()
    call()
    assert whole and set(seen) == {Holder, int}, set(seen)


for scenario in (an_inner_object_ends, a_part_of_a_tuple_ends, a_long_chain_ends, another_thread_calls):
    for alias in (False, True):
        for own in (False, True):
            scenario(alias, own)
            print(scenario.__name__, "survived", flush=True)
print("all survived")
