# SPDX-License-Identifier: MIT
"""Nothing is kept and nothing is lost: references, modules, threads, processes."""

import contextlib
import gc
import os
import subprocess
import sys
import threading
import weakref
from pathlib import Path

from scenario import HERE, Special, arguments, fresh, grown, library, product_backward_kernel, raises, step_kernel, test

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from wrapgen_torch.extension import load_extension


# ---- lifetimes ----


@test
def nothing_is_kept():
    module = fresh()

    def calls():
        args = arguments()
        module.step(*args)
        module.taking(torch.ones(2))
        with contextlib.suppress(ValueError):
            module.step(torch.ones(5, 3), *args[1:])

    assert grown(calls) == 0
    args = arguments()
    args[2] = 1 << 40  # an int of its own
    module.step(*args)
    args[5].clear()
    counted = [sys.getrefcount(thing) for thing in args]
    for _ in range(10):
        module.step(*args)
    args[5].clear()
    assert counted == [sys.getrefcount(thing) for thing in args]


@test
def taken_arguments_end_early():
    module = fresh()
    seen = []

    def kernel(args):
        x = args.pop()
        reference = weakref.ref(x)
        y = x + 1
        del x
        seen.append(reference() is None)
        return [y]

    module.bind("taking_kernel", kernel)
    module.taking(torch.ones(2))
    # Python's own stack keeps an argument during the call.
    assert seen == [False]


@test
def exceptions_leak_nothing():
    module = fresh()

    def bad(args):
        raise Special(torch.ones(2))

    def calls():
        both = ("step_kernel", lambda: module.step(*arguments())), ("taking_kernel", lambda: module.taking(torch.ones(2)))
        for name, act in both:
            module.bind(name, bad)
            with contextlib.suppress(Special):
                act()
            module.bind(name, lambda _: [torch.ones(2), 1])
            with contextlib.suppress(RuntimeError, TypeError):
                act()
        module.bind("step_kernel", lambda _: [torch.ones(4, 3), torch.ones(3, 4), torch.ones(3), "four", 0.5, True, None])
        with raises(TypeError, "result 3 of the compiled function step_kernel must be an int, not str"):
            module.step(*arguments())

    assert grown(calls) == 0


@test
def the_module_goes():
    module = load_extension(library())

    class Kernel:
        def __call__(self, args):
            return [module, self]

    kernel = Kernel()
    kernel.module = module  # a cycle: module, what is bound to it, module
    module.bind("empty_kernel", kernel)
    reference = weakref.ref(kernel)
    del kernel, module
    Kernel.__call__ = None
    gc.collect()
    assert reference() is None


@test
def nodes_outlive_the_module():
    module = fresh()
    seen = []

    def backward(args):
        seen.append(1)
        return product_backward_kernel(args)

    module.bind("product_backward_kernel", backward)
    w = torch.ones(3, requires_grad=True)
    (y,) = module.product(torch.arange(3.0), w)
    reference = weakref.ref(backward)
    del module, backward
    gc.collect()
    y.sum().backward()
    assert seen == [1] and torch.equal(w.grad, torch.arange(3.0))
    del y
    gc.collect()
    assert reference() is None


@test
def saved_values_end_with_the_backward():
    """While the result, and with it the node, is still there."""
    module = fresh()
    for retain in (False, True):
        x = torch.arange(3.0)
        memory = StorageWeakRef(x.untyped_storage())
        (y,) = module.product(x, torch.ones(3, requires_grad=True))
        del x
        assert not memory.expired()
        y.sum().backward(retain_graph=retain)
        assert memory.expired() is not retain


def resident():
    """Bytes of this process's memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@test
def calls_leave_no_memory():
    """That no object of Python is about: contexts, nodes, errors. 24 bytes of each call are more than what is allowed. What a call
    leaves it leaves each time; memory that grows in one of two stretches alone is the allocator's, after all that other tests did."""
    module = fresh()
    x, w = torch.arange(3.0), torch.ones(3, requires_grad=True)
    big = torch.ones(5, 3)
    args = arguments()

    def trains():
        (y,) = module.product(x, w)
        y.backward(x)

    def refused():
        with contextlib.suppress(ValueError):
            module.step(big, *args[1:])

    def counts():
        module.step(*args)
        args[5].clear()

    args[2] = 1 << 40  # an int of its own
    for act in (module.empty, counts, trains, refused):
        grown = []
        for stretch in (10000, 20000, 20000):  # after the first one all that is kept for later calls is there
            before = resident()
            for _ in range(stretch):
                act()
            grown.append(resident() - before)
        assert min(grown[1:]) < 24 * 20000, (act, grown)


# ---- threads, processes ----


@test
def many_threads():
    module = fresh()
    wrong = []

    def work(number):
        try:
            for i in range(200):
                w = torch.full((3,), float(number), requires_grad=True)
                (y,) = module.product(torch.full((3,), float(i)), w)
                y.sum().backward()
                (e,) = module.exponent(torch.full((2,), float(number)))
                if w.grad[0] != i or y[0] != i * number or e[0] != torch.exp(torch.tensor(float(number))):
                    wrong.append((number, i))
                with contextlib.suppress(ValueError):
                    module.step(torch.ones(5, 3), *arguments()[1:])
        except BaseException as problem:
            wrong.append(problem)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong[:3]


@test
def backward_on_another_thread():
    module = fresh()
    w = torch.ones(3, requires_grad=True)
    (y,) = module.product(torch.arange(3.0), w)
    thread = threading.Thread(target=lambda: y.sum().backward())
    thread.start()
    thread.join()
    assert torch.equal(w.grad, torch.arange(3.0))


@test
def after_a_fork():
    module = fresh()
    module.product(torch.ones(3), torch.ones(3, requires_grad=True))
    child = os.fork()
    if child == 0:
        (y,) = module.product(torch.arange(3.0), torch.ones(3, requires_grad=True))
        os._exit(0 if y[2] == 2 and module.step(*arguments())[2] == 4 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@test
def the_interpreter_ends():
    """With a node that lives on, and a thread in a compiled function: the process ends well. (PyTorch 2.13 itself aborts
    when a thread is within a backward then.)"""
    script = f"""
import sys, threading, time
sys.path[:0] = {[str(HERE), str(HERE / "../../../cmd")]!r}
import torch
from torch.multiprocessing.reductions import StorageWeakRef
from wrapgen_torch.extension import load_extension
module = load_extension({str(library())!r})
module.bind("empty_kernel", lambda args: time.sleep(0.0001) or [])
module.bind("exponent_kernel", lambda args: [torch.exp(args[0])] * 2)
module.bind("exponent_backward_kernel", lambda args: [args[0] * args[1]])
x = torch.ones(3, requires_grad=True)
(y,) = module.exponent(x)
y.cycle = y
torch.kept = y
def run():
    while True:
        module.empty()
for _ in range(4):
    threading.Thread(target=run, daemon=True).start()
y.sum().backward(retain_graph=True)
print("done")
"""
    for _ in range(3):
        ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
        assert (ended.returncode, ended.stdout) == (0, "done\n"), (ended.returncode, ended.stdout, ended.stderr)
