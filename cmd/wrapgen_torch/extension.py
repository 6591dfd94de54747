# SPDX-License-Identifier: MIT
"""YAML as a Python module: wrapgen writes the wrappers and a CPython extension over the host `torch`, the compiler builds it.

The host's C++ takes half a minute and is compiled once per environment: for this PyTorch, this Python, these sources, this
compiler. The objects are in $WRAPGEN_CACHE, else in wrapgen/ below $XDG_CACHE_HOME or ~/.cache.
"""

import hashlib
import importlib.machinery
import importlib.util
import os
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import torch

from .environment import cache_folder, cache_path, compiler, compiler_version, locked, run, tries_any_torch, wrapgen
from .errors import CaptureError
from .progress import shown, step

_CPP_FLAGS = ["-std=c++20", "-O2", "-fPIC"]
# gcc inlines less in large units, and calls would be slower. Other compilers do not know the option.
_AS_SMALL_UNITS = ["--param", "large-unit-insns=100000"]
_NO_MAIN_FILE = '#ifndef __clang__\n#pragma GCC diagnostic ignored "-Wsubobject-linkage"\n#endif\n'
_C_FLAGS = ["-std=c11", "-O2", "-fPIC"]
SUFFIX = importlib.machinery.EXTENSION_SUFFIXES[0]


def _cpp_flags():
    gcc = "Free Software Foundation" in compiler_version(*_compilers()[1])
    return [*_CPP_FLAGS, *(_AS_SMALL_UNITS if gcc else ()), *(["-DWG_TORCH_ANY_VERSION"] if tries_any_torch() else ())]


def _compilers():
    return compiler(), compiler("CXX", "c++")


class TorchHost:
    """The host `torch` with its Python half, compiled: `includes` for generated C, `objects` to link with it and with `pytorch`, or
    `library`, which has all of them and stays in the cache."""

    _instance = None

    @classmethod
    def get(cls):
        if cls._instance is None:
            with shown():
                cls._instance = cls()
        return cls._instance

    def __init__(self):
        cache = cache_folder()
        with tempfile.TemporaryDirectory(prefix="new-", dir=cache) as new:
            parts = Path(new) / "parts"
            run([wrapgen(), "--print-templates", parts])
            self.folder = cache / f"parts-{_key(_files(parts))}"
            with locked(cache / "lock", "compiles the host torch"):
                if not self.folder.exists():
                    os.rename(parts, self.folder)
                self.objects = _objects(self.folder, cache)
                self.pytorch = _pytorch(cache)
                self.library = _library(self.objects, self.pytorch, cache)
        self.includes = _includes(self.folder)


def _host(parts):
    return parts / "hosts" / "torch"


def _includes(parts):
    python = sysconfig.get_paths()["include"]
    return [f"-I{parts / 'core'}", f"-I{_host(parts)}", f"-I{_host(parts) / 'python'}", "-isystem", python]


def _files(parts):
    return sorted(path for folder in (parts / "core", _host(parts)) for path in folder.rglob("*") if path.is_file())


def _key(files, text=""):
    """Of objects that are made from these files, and from this text: of all that they depend on."""
    digest = hashlib.sha256(text.encode())
    theirs = (torch.__version__, str(Path(torch.__file__).resolve()), sysconfig.get_platform(), SUFFIX, sysconfig.get_paths()["include"])
    for word in (*theirs, *map(" ".join, _compilers()), *_cpp_flags(), *_C_FLAGS):
        digest.update(f"{word}\0".encode())
    for command in _compilers():
        digest.update(compiler_version(*command).encode())
    for path in files:
        digest.update(f"{path.name}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:24]


def _objects(parts, cache):
    """One for each unit, compiled unless it is there. Called with the lock."""
    made = _made_of(parts, cache)
    missing = {made_object: unit for made_object, unit in made.items() if not made_object.exists()}
    if missing:
        _compile_all(parts, missing, cache)
    return sorted(made)


def _made_of(parts, cache):
    """The units that are compiled, by their objects: a list of sources each, those that take longest first."""
    files = _files(parts)
    headers = [path for path in files if path.suffix in (".h", ".hpp")]
    units = [*cpp_units(parts), *([path] for path in files if path.suffix == ".c")]
    return {cache / f"{_name_of(unit)}-{_key([*unit, *headers], joined(unit))}.o": unit for unit in units}


def cpp_units(parts):
    """The C++ sources of a folder are one unit: PyTorch's headers take far longer than what the sources say themselves, to parse and
    to compile what is in them, and they do for each unit. Two units take a quarter of what one for each source takes, and two processors."""
    return [sorted(folder.glob("*.cpp")) for folder in (_host(parts) / "python", _host(parts))]


def _name_of(unit):
    return unit[0].stem if len(unit) == 1 else f"wg_{unit[0].parent.name}"


def joined(unit):
    """The text of one source that has all of these. What a source defines for itself alone has a name that no other of its folder
    uses (tests/layers.sh). gcc warns of classes with members of unnamed namespaces where they are not in the main file."""
    return _NO_MAIN_FILE + "".join(f'#include "{path.name}"\n' for path in unit)


def _compile_all(parts, missing, cache):
    with (
        step("compiling the host torch, once in this environment", len(missing)) as one,
        tempfile.TemporaryDirectory(prefix="new-", dir=cache) as new,
        ThreadPoolExecutor(os.cpu_count()) as pool,
    ):

        def compile_one(made_object):
            _compile(parts, missing[made_object], made_object, Path(new))
            one.advance()

        list(pool.map(compile_one, missing))


def _cpp_command():
    theirs = Path(torch.__file__).parent / "include"
    return [*_compilers()[1], *_cpp_flags(), "-isystem", theirs, "-isystem", theirs / "torch" / "csrc" / "api" / "include"]


def _compile(parts, unit, made, folder):
    source = unit[0]
    command = _cpp_command() if source.suffix == ".cpp" else [*_compilers()[0], *_C_FLAGS]
    if len(unit) > 1:
        source = folder / f"{_name_of(unit)}.cpp"
        source.write_text(joined(unit), encoding="utf-8")
    new = made.with_suffix(".new")
    run([*command, *_includes(parts), "-c", "-o", new, source])
    os.replace(new, made)


def built_host():
    """The library of the host if it is in the cache, whole, for what is installed now; None if a build would compile. It changes nothing."""
    with tempfile.TemporaryDirectory() as folder:
        parts = Path(folder) / "parts"
        run([wrapgen(), "--print-templates", parts])
        made = _made_of(parts, cache_path())
    library = _library_of(sorted(made), cache_path())
    return library if all(path.exists() for path in (library, *made)) else None


def _library_of(objects, cache):
    digest = hashlib.sha256("\0".join(path.name for path in objects).encode()).hexdigest()[:24]
    return cache / f"libwg_torch-{digest}.so"


def _library(objects, pytorch, cache):
    """All of them as a shared library. Called with the lock."""
    library = _library_of(objects, cache)
    if not library.exists():
        _link(library, objects, pytorch)
    return library


def _pytorch(cache):
    """Empty libraries that are called as PyTorch's are, to link with. Reading what those define takes the linker longer than all
    the rest, and it would learn nothing: a shared library may leave open what others define. Called with the lock."""
    folder = cache / "pytorch"
    folder.mkdir(exist_ok=True)
    made = [folder / f"lib{name}.so" for name in ("torch_python", "torch_cpu", "c10")]
    for library in made:
        if not library.exists():
            run([*_compilers()[0], "-shared", "-nostdlib", "-x", "c", "-o", f"{library}.new", os.devnull, f"-Wl,-soname,{library.name}"])
            os.replace(f"{library}.new", library)
    return made


def _link(library, linked, found):
    """`found`: the shared libraries that have what is linked here needs, PyTorch's or the host's."""
    found = ["-Wl,--no-as-needed", *found, f"-Wl,-rpath,{Path(torch.__file__).parent / 'lib'}"]
    run([*_compilers()[1], "-shared", "-Wl,-Bsymbolic-functions", "-o", f"{library}.new", *linked, *found])
    os.replace(f"{library}.new", library)


def build_extension(text, folder, name, *, options=(), objects=(), passing=False):
    """Builds the YAML `text` as the module `name` in `folder`, which gets name.c, name.pyi, the wrappers and the library.
    `options` are wrapgen's; `objects` are linked, too: compiled functions in C. `passing`: for this process alone, quickly: the
    module finds the host in the cache, and nothing is optimized. Returns the library's path."""
    host = TorchHost.get()
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    written = [f"{name}_wrappers.c", f"{name}.c"]
    run([wrapgen(), f"{name}.yaml", "--host", "torch", "--out", written[0], "--header", f"{name}_wrappers.h", "--emit-python",
          written[1], *options], folder)  # fmt: skip
    c, _ = _compilers()
    made = [folder / f"{source}.o" for source in written]
    flags = [*_C_FLAGS, "-O0"] if passing else _C_FLAGS
    commands = [[*c, *flags, *host.includes, "-c", "-o", one, folder / source] for one, source in zip(made, written)]
    with ThreadPoolExecutor(len(commands)) as pool:
        list(pool.map(run, commands))
    library = folder / f"{name}{SUFFIX}"
    if passing:
        _link(library, [*made, *objects], [host.library])
    else:
        _link(library, [*made, *objects, *host.objects], host.pytorch)
    for made_object in made:
        made_object.unlink()
    return library


def load_extension(library):
    """The module in that library; sys.modules is left alone."""
    name = Path(library).name.split(".")[0]
    loader = importlib.machinery.ExtensionFileLoader(name, str(library))
    spec = importlib.util.spec_from_file_location(name, str(library), loader=loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module
