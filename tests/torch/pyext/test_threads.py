# SPDX-License-Identifier: MIT
"""Threads that wait for each other, processes that fork, and the GIL: a call that should not wait for ever does not."""

import contextlib
import faulthandler
import os
import subprocess
import sys
import threading
import time

from scenario import HERE, Special, fresh, grown, library, product_backward_kernel, product_kernel, raises, test

import torch

SECONDS = 60  # after which a thread is taken for one that waits for ever


def together(*works):
    """Runs them in threads; what they raise."""
    problems = []

    def run(work):
        try:
            work()
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=run, args=(work,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    if any(thread.is_alive() for thread in threads):
        faulthandler.dump_traceback(all_threads=True)
        os._exit(1)  # a suite that died, with the place in its log
    return problems


def wait(event):
    assert event.wait(SECONDS), "the other thread did not come"


def trained(module, number=2.0):
    """A call of product, and its argument."""
    w = torch.full((3,), number, requires_grad=True)
    (y,) = module.product(torch.arange(3.0), w)
    return y, w


@test
def a_compiled_function_waits_for_another_call():
    """Of the same graph, in another thread: forward, then backward."""
    module = fresh()
    came = [threading.Event(), threading.Event()]

    def meet(kernel):
        def run(args):
            mine = came[0].is_set()
            came[mine].set()
            wait(came[not mine])
            return kernel(args)

        return run

    module.bind("product_kernel", meet(product_kernel))
    calls = []
    assert not together(lambda: calls.append(trained(module)), lambda: calls.append(trained(module)))
    for event in came:
        event.clear()
    module.bind("product_backward_kernel", meet(product_backward_kernel))
    assert not together(*(lambda y=y: y.sum().backward() for y, _ in calls))
    assert all(torch.equal(w.grad, torch.arange(3.0)) for _, w in calls)


@test
def two_backwards_of_one_node():
    """The second waits for the first, which needs the GIL meanwhile: it must wait without."""
    module = fresh()
    entered, go_on, inside, most = threading.Event(), threading.Event(), [], []

    def backward(args):
        inside.append(1)
        most.append(len(inside))
        entered.set()
        wait(go_on)
        inside.pop()
        return product_backward_kernel(args)

    module.bind("product_backward_kernel", backward)
    y, w = trained(module)

    def first():
        y.sum().backward(retain_graph=True)

    def second():
        wait(entered)
        threading.Timer(0.2, go_on.set).start()
        y.sum().backward(retain_graph=True)

    def third():
        wait(entered)
        with torch.no_grad():
            y.grad_fn(torch.ones(3))

    assert not together(first, second, third)
    assert torch.equal(w.grad, 2 * torch.arange(3.0)) and most == [1, 1, 1]


@test
def a_backward_within_a_backward():
    module = fresh()

    def backward(args):
        with torch.enable_grad():
            x = torch.full((2,), 3.0, requires_grad=True)
            (e,) = module.exponent(x)
            e.sum().backward()
        assert torch.equal(x.grad, torch.exp(torch.full((2,), 3.0)))
        return product_backward_kernel(args)

    module.bind("product_backward_kernel", backward)
    y, w = trained(module)
    assert not together(lambda: y.sum().backward())
    assert torch.equal(w.grad, torch.arange(3.0))


@test
def many_threads_with_and_without_gradients():
    """One graph, that writes into its argument; what is bound to it is replaced meanwhile; some calls fail."""
    module = fresh()
    kernel = lambda args: [args[0] * 2, args[0] * args[1], args[0].clone(), args[1]]  # noqa: E731
    stop = threading.Event()

    def bad(_):
        raise Special(torch.ones(2))

    def calls(number):
        for i in range(100):
            trains = (number + i) % 2 == 0
            x = torch.full((4,), float(number), requires_grad=trains)
            w = torch.full((4,), float(i), requires_grad=trains)
            written = x.clone()
            with contextlib.suppress(Special), torch.set_grad_enabled(trains):
                (y,) = module.scale(written, w)
                assert torch.equal(written, x.detach() * 2) and torch.equal(y, x.detach() * i) and written._version == 1
                assert y.requires_grad is trains and written.requires_grad is trains
                if trains:
                    (written.sum() + y.sum()).backward()
                    assert torch.equal(w.grad, 3 * x.detach()) and torch.equal(x.grad, 3 * w.detach())

    def binds():
        while not stop.is_set():
            module.bind("scale_kernel", bad)
            module.bind("scale_kernel", lambda args: kernel(args))
            time.sleep(0.0005)

    def eight():
        stop.clear()
        binder = threading.Thread(target=binds, daemon=True)
        binder.start()
        problems = together(*(lambda number=number: calls(number) for number in range(8)))
        stop.set()
        binder.join()
        assert not problems, problems[:2]

    assert grown(eight, rounds=1) == 0


@test
def whatever_ends_a_call_passes_through():
    module = fresh()
    for kind in (KeyboardInterrupt, SystemExit, GeneratorExit):

        def stop(_, kind=kind):
            raise kind("now")

        module.bind("product_kernel", stop)
        with raises(kind, "now"):
            trained(module)
        module.bind("product_kernel", product_kernel)
        module.bind("product_backward_kernel", stop)
        y, _ = trained(module)
        with raises(kind, "now"):
            y.sum().backward()
        module.bind("product_backward_kernel", product_backward_kernel)
    y, w = trained(module)
    y.sum().backward()
    assert torch.equal(w.grad, torch.arange(3.0))


def in_a_process(text):
    """What a process says that has a module, `module`, with two graphs bound; it must end well, and in time."""
    script = f"""
import os, sys, threading, time
sys.path[:0] = {[str(HERE), str(HERE / "../../../cmd")]!r}
import torch
from wrapgen_torch.extension import load_extension
module = load_extension({str(library())!r})
module.bind("exponent_kernel", lambda args: [torch.exp(args[0])] * 2)
module.bind("exponent_backward_kernel", lambda args: [args[0] * args[1]])
inside, go_on = threading.Event(), threading.Event()

def blocks(args):
    inside.set()
    go_on.wait()
    return []

module.bind("empty_kernel", blocks)

def exponent():
    x = torch.ones(3, requires_grad=True)
    (y,) = module.exponent(x)
    y.sum().backward()
    assert torch.equal(x.grad, torch.exp(torch.ones(3)))
    return y
{text}
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=SECONDS)
    assert ended.returncode == 0, (ended.returncode, ended.stdout, ended.stderr)
    return ended.stdout


@test
def a_fork_while_a_thread_is_in_a_call():
    said = in_a_process("""
thread = threading.Thread(target=module.empty)
thread.start()
inside.wait()
exponent()
child = os.fork()
if child == 0:
    exponent()
    go_on.set()
    module.empty()
    print("child", flush=True)
    os._exit(0)
status = os.waitpid(child, 0)[1]
go_on.set()
thread.join()
exponent()
print("parent", status)
""")
    assert said == "child\nparent 0\n", said


@test
def a_fork_within_a_compiled_function():
    said = in_a_process("""
def forks(args):
    child = os.fork()
    if child:
        assert os.waitpid(child, 0)[1] == 0
    return [torch.exp(args[0])] * 2

module.bind("exponent_kernel", forks)
me = os.getpid()
exponent()
print(os.getpid() == me, flush=True)
if os.getpid() != me:
    os._exit(0)
""")
    assert said == "False\nTrue\n", said


@test
def the_interpreter_ends_with_tensors_in_a_module():
    """They are bound with a function, and the module's own cycle is all that holds them; a node is alive, too."""
    said = in_a_process("""
kept = torch.ones(1000)
module.bind("exponent_backward_kernel", lambda args: [args[0] * args[1] * kept[0]])
y = exponent()
module.bind("taking_kernel", lambda args: [module, kept, y])
torch.autograd.kept = module.exponent(torch.ones(3, requires_grad=True))
del module, kept, y
print("done")
""")
    assert said == "done\n", said


@test
def the_interpreter_ends_within_a_call():
    """By exit() in a compiled function, and in a thread that waits in one for ever."""
    said = in_a_process("""
threading.Thread(target=module.empty, daemon=True).start()
inside.wait()
module.bind("exponent_kernel", lambda args: sys.exit(0))
print("done", flush=True)
exponent()
""")
    assert said == "done\n", said
