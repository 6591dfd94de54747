# SPDX-License-Identifier: 0BSD
#
# The wrapper of graph.yaml as a function of Python, through ctypes alone: it takes anything that has __dlpack__, and returns
# objects that have it. No element is copied on the way in or out.
import ctypes

VERSIONED = b"dltensor_versioned"  # the names that Python's DLPack protocol gives to capsules
USED = b"used_dltensor_versioned"

_api = ctypes.pythonapi
_api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
_api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
_api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_api.PyCapsule_New.restype = ctypes.py_object


class Refused(Exception):
    """A tensor or a call was refused; says by whom and why."""


class Library:
    """One shared library and one context; calls from one thread at a time."""

    def __init__(self, path):
        self._c = ctypes.CDLL(path)
        for name in ("wg_dlpack_refusal_text", "wg_error_text"):
            getattr(self._c, name).restype = ctypes.c_size_t
        self._c.wg_error.restype = ctypes.c_void_p
        self._context = ctypes.c_void_p()
        self._must(self._c.wg_context_create(None, ctypes.byref(self._context)))

    def close(self):
        self._c.wg_context_destroy(self._context)

    def _text(self, function, subject):
        buffer = ctypes.create_string_buffer(512)
        function(subject, buffer, ctypes.c_size_t(len(buffer)))
        return buffer.value.decode("utf-8")

    def _must(self, status):
        if status != 0:
            raise Refused(self._text(self._c.wg_dlpack_refusal_text, self._context))

    def take(self, array):
        """The host's tensor over the array's memory: an owned reference."""
        capsule = array.__dlpack__(max_version=(1, 0))
        managed = ctypes.c_void_p(_api.PyCapsule_GetPointer(capsule, VERSIONED))
        tensor = ctypes.c_void_p()
        self._must(self._c.wg_dlpack_from_versioned(self._context, managed, ctypes.byref(tensor)))
        _api.PyCapsule_SetName(capsule, USED)  # from here on the host calls the deleter
        return tensor

    def release(self, tensor):
        # wg_release() is inline in C; what releases a wrapper's outputs does the same.
        outputs = (ctypes.c_void_p * 2)(tensor, None)
        self._c.demo_blend_outputs_release(self._context, outputs)

    def hand_out(self, tensor):
        """An object with __dlpack__; takes over the reference."""
        managed = ctypes.c_void_p()
        try:
            self._must(self._c.wg_dlpack_to_versioned(self._context, tensor, ctypes.byref(managed)))
        finally:
            self.release(tensor)
        return Output(managed)

    def blend(self, average, values):
        """average += 0.25 * (values - average), in place; returns the change, and the last row of average as a view of it."""
        taken = []
        try:
            for array in (average, values):
                taken.append(self.take(array))
            arguments = (ctypes.c_void_p * 2)(*taken)
            outputs = (ctypes.c_void_p * 2)()
            status = self._c.demo_blend(self._context, arguments, outputs)
            if status != 0:
                raise Refused(self._text(self._c.wg_error_text, ctypes.c_void_p(self._c.wg_error(self._context))))
        finally:
            for tensor in taken:
                self.release(tensor)
        return tuple(self.hand_out(ctypes.c_void_p(output)) for output in outputs)


class Output:
    """What the wrapper returned, to be consumed once by from_dlpack."""

    def __init__(self, managed):
        self._managed = managed

    def __dlpack_device__(self):
        return (1, 0)  # the CPU

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if self._managed is None:
            raise Refused("this output was consumed already")
        if max_version is None or max_version[0] < 1:
            raise Refused("the consumer does not know DLPack 1.x")
        capsule = _api.PyCapsule_New(self._managed, VERSIONED, None)
        self._managed = None
        return capsule
