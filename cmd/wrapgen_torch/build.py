# SPDX-License-Identifier: MIT
"""YAML as a shared library: wrapgen writes the C, the compiler builds it with the host in host/ and with stubs for what it
calls."""

import ctypes
import hashlib
import os
import subprocess
import sysconfig
import tempfile
from pathlib import Path

from .errors import CaptureError
from .host import verbs

HERE = Path(__file__).resolve().parent
_FLAGS = "-std=c11 -Wall -Wextra -Werror -O1 -g -fPIC -shared".split()


def wrapgen():
    """The tool: $WRAPGEN, the repository's build, or the one on the PATH."""
    built = HERE.parent.parent / "build" / "wrapgen"
    return os.environ.get("WRAPGEN") or (str(built) if built.exists() else "wrapgen")


def _run(command):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if result.returncode:
        raise CaptureError(f"{Path(command[0]).name} ended with {result.returncode}:\n{result.stderr}{result.stdout}")


class WrapperError(RuntimeError):
    """The generated code returned its own error; the text is wrapgen's."""


class Value(ctypes.Union):
    """WgValue."""

    _fields_ = [("tensor", ctypes.c_void_p), ("integer", ctypes.c_int64), ("real", ctypes.c_double)]


class Host:
    """The shared library of the verbs, and the folder where programs are built. There is one per process."""

    _instance = None

    @classmethod
    def get(cls):
        if cls._instance is None:
            cls._instance = cls()
        return cls._instance

    def __init__(self):
        self._temporary = tempfile.TemporaryDirectory(prefix="wrapgen-torch-")
        self.folder = Path(self._temporary.name)
        self.parts = self.folder / "parts"
        _run([wrapgen(), "--print-templates", self.parts])
        self.includes = [f"-I{self.parts / 'core'}", f"-I{HERE / 'host'}"]
        self.compiler = os.environ.get("CC", "cc")
        python = sysconfig.get_paths()["include"]
        library = self.folder / "libwg_python.so"
        sources = [HERE / "host" / "wg_python.c", *sorted((self.parts / "core").glob("*.c"))]
        _run([self.compiler, *_FLAGS, *self.includes, f"-I{python}", "-o", library, *sources])
        self.library = ctypes.PyDLL(str(library), mode=ctypes.RTLD_GLOBAL)
        for name, result, arguments in (
            ("wg_python_context", ctypes.c_void_p, [ctypes.py_object, ctypes.py_object]),
            ("wg_python_exception", ctypes.py_object, [ctypes.c_void_p]),
            ("wg_python_bind", None, [ctypes.c_void_p, ctypes.py_object]),
            ("wg_python_object", ctypes.py_object, [ctypes.c_void_p]),
            ("wg_error", ctypes.c_void_p, [ctypes.c_void_p]),
            ("wg_error_text", ctypes.c_size_t, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]),
        ):
            function = getattr(self.library, name)
            function.restype, function.argtypes = result, arguments

    def object(self, address):
        """The tensor at an address that C gave away: its reference becomes Python's."""
        if not address:
            return None
        value = self.library.wg_python_object(address)
        ctypes.pythonapi.Py_DecRef(ctypes.py_object(value))
        return value


    def take(self, slot, kind):
        """The value that C gave away in `slot`."""
        if kind == "object":
            return self.object(slot.tensor)
        if kind == "bool":
            return bool(slot.integer)
        if kind == "nested":
            return verbs.nested_int_of(slot.integer)
        return slot.integer if kind == "integer" else slot.real

    def raise_error(self, context, status):
        """The exception that ended a call: Python's own, from a verb or a compiled function, or wrapgen's."""
        exception = self.library.wg_python_exception(context)
        if not status:
            return
        if exception is not None:
            raise exception
        text = ctypes.create_string_buffer(4096)
        self.library.wg_error_text(self.library.wg_error(context), text, len(text))
        raise WrapperError(text.value.decode())


def build(text, stubs, subclasses):
    """The library of the YAML `text`, linked with the C `stubs`; the C names of `subclasses` mean what these say."""
    host = Host.get()
    folder = Path(tempfile.mkdtemp(prefix=hashlib.sha256(text.encode()).hexdigest()[:16], dir=host.folder))
    (folder / "graph.yaml").write_text(text)
    (folder / "stub.c").write_text(stubs)
    _run([wrapgen(), "--in", folder / "graph.yaml", "--host", HERE / "host" / "host.yaml", "--out", folder / "graph.c",
          "--header", folder / "graph.h"])  # fmt: skip
    library = folder / "graph.so"
    sources = [folder / "graph.c", folder / "stub.c"]
    _run([host.compiler, *_FLAGS, *host.includes, f"-I{folder}", "-o", library, *sources])
    loaded = ctypes.PyDLL(str(library))
    for symbol, thing in {**subclasses.types, **subclasses.contexts}.items():
        slot = ctypes.c_void_p.in_dll(loaded, f"{symbol}_slot")
        host.library.wg_python_bind(ctypes.addressof(slot), thing)
    return loaded


def stub(graphs):
    """The compiled functions, types and contexts that the generated code of these Described refers to."""
    lines = ['#include "wg_python.h"', '#include "graph.h"', ""]
    names = [f"{one.name}_kernel" for one in graphs]
    names += [f"{one.name}_backward_kernel" for one in graphs if one.traced.trains]
    for name in names:
        lines += [
            f"int32_t {name}(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)",
            "{",
            f'    return wg_python_call(ctx, "{name}", args, num_args, outs, num_outs);',
            "}",
        ]
    for symbol in graphs[-1].subclasses.types:
        lines += [f"WgPythonSlot {symbol}_slot;", f'const WgType {symbol} = {{ "{symbol}", &{symbol}_slot }};']
    for symbol in graphs[-1].subclasses.contexts:
        lines += [f"WgPythonSlot {symbol}_slot;", f"const void *const {symbol} = &{symbol}_slot;"]
    for one in graphs:
        if one.traced.trains:
            lines.append(f"const size_t {one.name}_saved_size = sizeof({one.prefix}{one.name}_saved);")
    return "\n".join(lines) + "\n"
