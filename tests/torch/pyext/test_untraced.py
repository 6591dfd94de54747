# SPDX-License-Identifier: MIT
"""Functions that Dynamo does not trace: untraced() of a module, compared with torch._dynamo.disable."""

import gc
import threading
import weakref

from scenario import Special, fresh, raises, test

import torch
import torch._dynamo
from torch._C._dynamo.eval_frame import get_eval_frame_callback, set_eval_frame


def otherwise(*args, **names):
    return "otherwise", args, names


def untraced(function, explain=None, *first):
    return fresh().untraced(function, otherwise, explain, *first)


state = get_eval_frame_callback  # in C: while a test's callback is set, no frame may begin


@test
def nothing_is_traced_inside_and_it_is_as_before_after():
    for callback in (None, False, lambda *_: None):
        call = untraced(lambda *args: (state(), args))
        prior = set_eval_frame(callback)
        try:
            inside = call(1, "x")
            after = state()
        finally:
            set_eval_frame(prior)
        assert inside == (None, (1, "x"))
        assert after is callback


@test
def an_exception_leaves_it_as_before():
    def raising():
        raise Special(state())

    def stopping():
        raise KeyboardInterrupt

    def callback(*_):
        return None

    for function, kind in ((raising, Special), (stopping, KeyboardInterrupt)):
        call, found, after = untraced(function), None, None
        prior = set_eval_frame(callback)
        try:
            try:
                call()
            except BaseException as problem:  # noqa: BLE001 - KeyboardInterrupt is none of Exception
                found, after = problem, state()
        finally:
            set_eval_frame(prior)
        assert type(found) is kind and after is callback and found.args in ((None,), ())


@test
def problems_are_explained():
    told = []

    def failing(problem):
        raise problem

    def explain(problem):
        told.append(problem)
        problem.args = ("explained",)

    call = untraced(failing, explain)
    for kind in (ValueError, TypeError, RuntimeError, NotImplementedError):
        problem = kind("said")
        try:
            call(problem)
            raise AssertionError("nothing is raised")
        except kind as found:
            assert found is problem and found.args == ("explained",) and told.pop() is problem
            assert found.__traceback__.tb_next is not None
    with raises(KeyError, "said"):
        call(KeyError("said"))
    assert not told

    def breaking(problem):
        raise Special("worse")

    with raises(Special, "worse"):
        untraced(failing, breaking)(ValueError("said"))


@test
def other_calls_are_left_to_pytorch():
    call = untraced(lambda *args: args)
    assert call(1) == (1,)
    assert call(1, x=2) == ("otherwise", (1,), {"x": 2})
    with torch.compiler.set_stance("force_eager"):
        assert call(1) == ("otherwise", (1,), {})
    with torch.compiler.set_stance("eager_on_recompile"):
        assert call(1) == ("otherwise", (1,), {})
    assert call(1) == (1,)
    torch.compiler._is_exporting_flag = True
    try:
        assert call(1) == ("otherwise", (1,), {})
    finally:
        torch.compiler._is_exporting_flag = False


@test
def within_itself_and_on_threads():
    def deep(n):
        assert state() is None
        return 0 if n == 0 else 1 + call(n - 1)

    call = untraced(deep)
    assert call(50) == 50
    problems = []

    def work(callback):
        set_eval_frame(callback)
        try:
            for _ in range(200):
                if call(3) != 3 or state() is not callback:
                    problems.append(state())
        finally:
            set_eval_frame(None)

    threads = [threading.Thread(target=work, args=(callback,)) for callback in (None, False) * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not problems and not any(thread.is_alive() for thread in threads)


@test
def what_is_untraced_ends():
    def function():
        return call

    call = untraced(function)
    call.itself, call.word = call, "kept"
    assert call() is call and call.word == "kept" and call.__dict__["word"] == "kept"
    alive, held = weakref.ref(call), weakref.ref(function)
    del call, function
    gc.collect()
    assert alive() is None and held() is None


@test
def first_arguments_come_before_those_of_a_call():
    first = tuple(object() for _ in range(100))  # more than have room on the stack
    call = untraced(lambda *args: args, None, first)
    assert call(1, "x") == (*first, 1, "x") and call() == first
    assert call(1, x=2) == ("otherwise", (1,), {"x": 2})  # it has its own
    assert untraced(lambda *args: args, None, ())(1) == (1,)
    held = weakref.ref(kept := Special())
    call = untraced(lambda *args: args, None, (kept,))
    del kept
    gc.collect()
    assert call()[0] is held()
    del call
    gc.collect()
    assert held() is None


@test
def what_untraced_refuses():
    module = fresh()
    with raises(TypeError, "3 or 4 positional arguments, not 1"):
        module.untraced(len)
    with raises(TypeError, "as a tuple, not list"):
        module.untraced(len, len, None, [1])
    for wrong in ((1, len, None), (len, None, None), (len, len, 1)):
        with raises(TypeError, "takes functions"):
            module.untraced(*wrong)
    with raises(TypeError, "cannot create"):
        type(module.untraced(len, len, None))()
