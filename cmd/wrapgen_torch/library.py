# SPDX-License-Identifier: MIT
"""YAML as a shared library: wrapgen writes the C, the compiler builds it with the host in host/ and with stubs for what it
calls."""

import ctypes
import functools
import hashlib
import os
import shlex
import subprocess
import sysconfig
import tempfile
from pathlib import Path

import torch

from .errors import CaptureError
from .host import verbs
from .tool import INSTALLED

HERE = Path(__file__).resolve().parent
_FLAGS = "-std=c11 -Wall -Wextra -Werror -O1 -g -fPIC -shared".split()


def wrapgen():
    """The tool: $WRAPGEN, the one that was installed with this package, the repository's build, or the one on the PATH."""
    built = HERE.parent.parent / "build" / "wrapgen"
    there = [str(path) for path in (INSTALLED, built) if path.exists()]
    return os.environ.get("WRAPGEN") or (there or ["wrapgen"])[0]


def _run(command):
    result = subprocess.run([str(word) for word in command], capture_output=True, encoding="utf-8", errors="replace")
    if result.returncode:
        raise CaptureError(f"{Path(command[0]).name} ended with {result.returncode}:\n{result.stderr}{result.stdout}")


class WrapperError(RuntimeError):
    """The generated code returned its own error; the text is wrapgen's."""


class Value(ctypes.Union):
    """WgValue."""

    _fields_ = [("tensor", ctypes.c_void_p), ("integer", ctypes.c_int64), ("real", ctypes.c_double)]


def cache_folder():
    """Where hosts are kept that are compiled once for each environment: $WRAPGEN_CACHE, else wrapgen/ below $XDG_CACHE_HOME or
    ~/.cache."""
    below = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wrapgen"
    folder = Path(os.environ.get("WRAPGEN_CACHE") or below)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def host_folder():
    return _host_folder(tuple(compiler()), wrapgen())


@functools.cache
def _host_folder(_compiler, _tool):
    """Where the host's library is, with the parts that generated code is compiled with. It is built once for each compiler,
    Python and source of the host; processes that build it at once end with the same files."""
    cache = cache_folder()
    with tempfile.TemporaryDirectory(prefix="new-", dir=cache) as new:
        parts = Path(new) / "parts"
        _run([wrapgen(), "--print-templates", parts])
        folder = cache / f"python-{_identity(parts)}"
        if not folder.exists():
            library = Path(new) / "libwg_python.so"
            sources = [*sorted((HERE / "host").glob("*.c")), *sorted((parts / "core").glob("*.c"))]
            python = sysconfig.get_paths()["include"]
            _run([*compiler(), *_FLAGS, *includes(new), f"-I{python}", "-o", library, *sources])
            put_in_place(Path(new), folder)
    return folder


def put_in_place(new, folder):
    """Renames `new` to `folder`, unless another process has put the same there; `new` is an empty folder after that."""
    try:
        os.rename(new, folder)
    except OSError:
        if not folder.is_dir():
            raise
        return
    new.mkdir()


def _identity(parts):
    digest = hashlib.sha256()
    version = subprocess.run([*compiler(), "--version"], capture_output=True, encoding="utf-8", errors="replace", check=False).stdout
    for text in (version, sysconfig.get_config_var("SOABI") or "", torch.__version__, " ".join(_FLAGS)):
        digest.update(text.encode() + b"\0")
    for path in sorted([*(parts / "core").iterdir(), *(HERE / "host").glob("*.[ch]")], key=lambda path: path.name):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def compiler(variable="CC", default="cc"):
    """The words of a command, "ccache gcc", as the environment has it."""
    return shlex.split(os.environ.get(variable, "")) or [default]


def includes(folder):
    return [f"-I{Path(folder) / 'parts' / 'core'}", f"-I{HERE / 'host'}"]


class Host:
    """The library of the verbs. There is one per process."""

    _instance = None

    @classmethod
    def get(cls, library=None):
        """`library`: the file to load if none is loaded yet; else it is built."""
        if cls._instance is None:
            cls._instance = cls(library or host_folder() / "libwg_python.so")
        return cls._instance

    def __init__(self, library):
        self.library = ctypes.PyDLL(str(library), mode=ctypes.RTLD_GLOBAL)
        self.folder = None  # a TemporaryDirectory, of what build() makes
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

    def temporary(self, prefix):
        """A fresh folder that is there until the process ends."""
        if self.folder is None:
            self.folder = tempfile.TemporaryDirectory(prefix="wrapgen-torch-")
        return Path(tempfile.mkdtemp(prefix=prefix, dir=self.folder.name))

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
    folder = Host.get().temporary(hashlib.sha256(text.encode()).hexdigest()[:16])
    return load(compile_graph(folder, text, stubs), subclasses)


def compile_graph(folder, text, stubs):
    """Writes graph.yaml, graph.c, graph.h and graph.so into `folder`; returns the last."""
    (folder / "graph.yaml").write_text(text, encoding="utf-8")
    (folder / "stub.c").write_text(stubs, encoding="utf-8")
    _run([wrapgen(), "--in", folder / "graph.yaml", "--host", HERE / "host" / "host.yaml", "--out", folder / "graph.c",
          "--header", folder / "graph.h"])  # fmt: skip
    library = folder / "graph.so"
    sources = [folder / "graph.c", folder / "stub.c"]
    _run([*compiler(), *_FLAGS, *includes(host_folder()), f"-I{folder}", "-o", library, *sources])
    return library


def load(library, subclasses):
    loaded = ctypes.PyDLL(str(library))
    for symbol, thing in {**subclasses.types, **subclasses.contexts}.items():
        slot = ctypes.c_void_p.in_dll(loaded, f"{symbol}_slot")
        Host.get().library.wg_python_bind(ctypes.addressof(slot), thing)
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
