# SPDX-License-Identifier: MIT
"""What Dynamo tests before it runs a graph, as data that is tested without Dynamo (loading/tests.py).

REFERENCE.md lists the kinds of guards and what becomes of each.
A guard that is not in the table is refused by name: if Dynamo tests something and we do not, answers are wrong.
"""

import ast
import enum
import re
import sys
import types
import weakref

import torch
import torch.utils._pytree as pytree

from ..errors import CaptureError, first_line
from ..guard_text import guards_in, is_said, is_stated, sides_of
from ..loading.code_text import class_text, code_text, is_found, module_of, module_of_builtin, name_of
from ..loading.data import PLAIN, is_data, is_same
from ..loading.frames import reader, text_of
from ..loading.kept import value_of
from ..loading.tests import without_hooks
from .bytecode import CONTENTS
from .conditions import condition_of
from .entries import entry_of
from .made_tests import Nodes, code_of, is_extent, item_of, of_class, read_of, same_as
from .subclass_guards import METADATA, NAMES, SubclassGuards

_NUMBER = re.compile(r"not math\.isnan\((.*)\)")
_PLACE = r"[LG](?:\[[^\[\]()]+\]|\.\w+)+"  # where a float can be; a size is what a call gives, and the wrapper tests it
_COMPARED = re.compile(rf"({_PLACE}) (==|!=|<=?|>=?) (-?\d[\d.e+-]*)")
_TURNED = re.compile(rf"^(-?\d[\d.e+-]*) (<=?|>=?) ({_PLACE})$")  # the same, with the number first
_OTHER_WAY = str.maketrans("<>", "><")
_KEYS = {"CPU", "BackendSelect", "ADInplaceOrView", "AutogradCPU", "AutocastCPU"}
# What a program is made of: it was the same when the graph was compiled, and the graph is all that is left of it.
_CODE = {"module", "function", "builtin_function_or_method", "code", "type", "method_descriptor", "wrapper_descriptor",
         "method-wrapper", "torch._C._VariableFunctionsClass", "torch._ops._Ops", "torch._ops._OpNamespace",
         "torch._ops.OpOverloadPacket", "torch._ops.OpOverload", "torch._library.custom_ops.CustomOpDef", "torch._VF.VFModule", "torch.backends.GenericModule"}  # fmt: skip
_NO_MATTER = {"DIMENSION_DYNAMIC_MARKING_GUARD", "NO_TENSOR_ALIASING"}  # marks choose what is compiled; tensors are compared anyway
_NAMEDTUPLES = {"code": "namedtuple"}  # the globals of what collections.namedtuple makes
_NO_HOOKS = "torch._functorch.aot_autograd.utils.top_saved_tensors_hooks ids == None"
_TRANSFORMED = "torch._functorch.pyfunctorch.compare_functorch_state("
_NODES = "SUPPORTED_NODES"  # of torch.utils._pytree
_DUAL_LEVEL = "torch.autograd.forward_ad._current_level == -1"
NESTED = "__nested_resume_fns"  # the argument with which Dynamo passes continuations of outer functions to that of an inner one
_DEFAULTS = ("__defaults__", "__kwdefaults__")
_OF_CODE = ("__code__", *_DEFAULTS, "__annotations__")  # not its closure, which is data
_METHODS = (types.FunctionType, staticmethod, classmethod, property)


class _Code(Exception):
    """What is tested belongs to code: what a method has, how pytree takes objects of a class apart, a set of PyTorch's that cannot change."""


class Guards(SubclassGuards):
    """The guards of one compiled graph. `names` are those of the function's arguments, `free` those of the variables of its closure.
    `inputs` is what the graph takes: Dynamo's source -> entry of the document. `values` are what arguments and variables were, by name.
    `number_of` says the number of a continuation, by its code (frames.py). `inference`: was the call under inference mode? Dynamo has
    no guard for that."""

    def __init__(self, function, names, free, inputs, values, number_of=None, inference=False):
        self._function = function
        self._inference = inference
        self._number_of = number_of
        self._names = names
        self._data = []  # (place, object) of what is data
        self._optimizers = []  # places of those
        self._nodes = Nodes()
        self._free = set(free)
        self._inputs = inputs
        self.of_code = {}  # a variable -> what tests that it is the same function or class, for who is given it: tests, or text
        self._values = {name: types.CellType(value) if name in self._free else value for name, value in values.items()}

    def tests(self, manager):
        """A list of tests, mappings that JSON can have."""
        found = []
        self._data.clear()
        self._optimizers.clear()
        self._nodes = Nodes()
        for guard in guards_in(manager):
            tests = [] if guard.kind in _NO_MATTER else self._leaf(guard)
            found += [test for test in tests if test is not None and test not in found and test.get("of", [None])[0] != _NAMEDTUPLES]
        self._refuse_parts_of_optimizers(found)
        self._refuse_other_contexts()
        found += self._nodes.tests(self._refuse)
        return [*found, *self._of_untested(found)]

    def _of_untested(self, tests):
        """A size is one of a tensor. Where Dynamo does not test that, as of the base of a view, its class is tested; that it has as many
        dimensions is tested when its size is read."""
        tensors = [test["of"] for test in tests if test["test"] in ("tensor_match", "subclass_match")]
        extents = [path for test in tests for path in test.get("reads", ()) if is_extent(path)]
        added = []
        for root, steps in ([root, steps[:-1]] for root, steps in extents):
            if [root, steps] in tensors:
                continue
            kind = type(self._value(root, steps))
            if kind not in (torch.Tensor, torch.nn.Parameter):
                self._refuse(f"a size of {text_of([root, steps])}", "nothing tests that it is a tensor")
            test = of_class(root, steps, kind)
            added += [] if test in tests + added else [test]
        return added

    def _leaf(self, guard):
        """The tests of one guard; None is one that needs none."""
        read = getattr(self, f"_{guard.kind.lower()}", None)
        try:
            if self._is_of_nodes(guard):
                self._nodes.ask()
                return []
            tests = self._refuse(guard) if read is None else read(guard)
        except _Code:
            return []
        except (SyntaxError, ValueError) as problem:  # a text of another form
            self._refuse(guard, first_line(problem))
        return tests if isinstance(tests, list) else [tests]

    def _parts(self, guard):
        return guard.parts or self._refuse(guard)

    def _dictguardmanager(self, guard):
        """A manager of a dict whose keys are looked at in their order tests its type and its length, and says neither."""
        parts = self._parts(guard)
        root, steps = self._path(guard.kind, parts["source"])
        if root == _NAMEDTUPLES:
            self._refuse(guard)
        length = len(self._value(root, steps))
        return [
            {"test": "type_match", "of": [root, steps], "type": parts["type"]},
            {"test": "length_check", "of": [root, steps], "length": length},
        ]

    def _refuse(self, what, why="nothing would test that without Dynamo"):
        raise CaptureError(f"Dynamo tests {what}: {why}")

    # ---- places ----

    def _path(self, kind, text):
        """Where a source is: (root, steps). The root is an argument's name, or {"module": name}. None: it is code."""
        try:
            return self._place(ast.parse(text.strip(), mode="eval").body)
        except (SyntaxError, ValueError) as problem:
            return self._refuse(f"{kind} {text}", str(problem))

    def _place(self, node):
        if isinstance(node, ast.Attribute):
            if node.attr in _OF_CODE:
                self._pass_over_methods(node.value, node.attr)
            root, steps = self._place(node.value)
            steps = [*steps, ["attr", node.attr]]
            if isinstance(root, dict) and root["module"].partition(".")[0] == "torch" and type(self._value(root, steps)) is frozenset:
                raise _Code
            return root, steps
        if isinstance(node, ast.Call) and ast.unparse(node) == "__import__('torch')":
            return {"module": "torch"}, []
        of_class = isinstance(node, ast.Call) and re.fullmatch(r"type\((.*)\)|dict\((.*\.__dict__)\)", ast.unparse(node))
        if of_class:
            root, steps = self._place(ast.parse(of_class[1] or of_class[2], mode="eval").body)
            return root, [*steps, ["attr", "__class__"]] if of_class[1] else steps
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "dict.__getitem__":
            return self._item(*node.args)
        if isinstance(node, ast.Call) and not node.args and not node.keywords:
            root, steps = self._place(node.func)
            if type(self._value(root, steps)) is weakref.ref:
                return root, [*steps, ["referent", None]]
        if isinstance(node, ast.Subscript) and self._are_nodes(node.value):
            self._nodes.meet(ast.unparse(node.slice))
            raise _Code
        if not isinstance(node, ast.Subscript):
            raise ValueError(f"it is not known where {ast.unparse(node)} is")
        key = ast.literal_eval(node.slice)
        if isinstance(node.value, ast.Call):
            keys = re.fullmatch(r"list\(dict\.keys\((.*)\)\)", ast.unparse(node.value))
            if keys is not None and type(key) is int:
                holder = ast.parse(keys[1], mode="eval").body
                if self._are_nodes(holder):
                    raise _Code
                root, steps = self._place(holder)
                return root, [*steps, ["key", key]]
        if isinstance(node.value, ast.Name) and node.value.id == "L":
            if key in self._free:
                return key, [[*CONTENTS]]
            if key not in self._names:
                raise ValueError(f"'{key}' is none of its arguments: pass it as one")
            return key, []
        if isinstance(node.value, ast.Name) and node.value.id == "G":
            return self._global(key)
        if type(key) not in (int, str, bool):
            raise ValueError(f"it has the key {key!r}")
        root, steps = self._place(node.value)
        return root, [*steps, [item_of(self._value(root, steps)), key]]

    def _item(self, node, key):
        """What a dict has under a key, which may be told by its number."""
        root, steps = self._place(node)
        numbered = re.fullmatch(r"list\(dict\.keys\((.*)\)\)\[(\d+)\]", ast.unparse(key))
        value = self._value(root, steps)
        if numbered is not None and numbered[1] == ast.unparse(node):
            key = list(dict.keys(value))[int(numbered[2])]
        else:
            key = ast.literal_eval(key)
        if type(key) not in (int, str, bool):
            raise ValueError(f"it has the key {key!r}")
        return root, [*steps, [item_of(value), key]]

    def _pass_over_methods(self, node, attr):
        """_Code, if the node is a method in the __dict__ of an object's class, or of one that this is derived from. Where no name finds that
        class, defaults are data, as a closure is."""
        of_class = re.fullmatch(r"dict\(type\((.*)\)(?:\.__mro__\[(\d+)\])?\.__dict__\)\['(\w+)'\]", ast.unparse(node))
        if of_class is None:
            return
        value = self._value(*self._place(ast.parse(of_class[1], mode="eval").body))
        kind = type(value).__mro__[int(of_class[2] or 0)]
        if isinstance(vars(kind).get(of_class[3]), _METHODS) and not (attr in _DEFAULTS and class_text(kind) is not None):
            raise _Code

    def _global(self, name):
        value = self._function.__globals__.get(name)
        if name.startswith("___unnamed_scope_"):  # globals of code that is in no module, under a name that Dynamo gave them
            if not isinstance(value, dict) or value.keys() - {"__builtins__", "__name__"} != {"_tuple_new"}:
                raise ValueError("the globals of code that is in no module can change unseen")
            return _NAMEDTUPLES, []
        if isinstance(value, types.ModuleType):
            if sys.modules.get(value.__name__) is not value:
                raise ValueError(f"the module '{value.__name__}' is another one than that name finds")
            return {"module": value.__name__}, []
        module = module_of(self._function)
        if module == "__main__":
            raise ValueError(f"the global '{name}' of a program that is run as such can change unseen: put it into a module")
        if module is None:
            raise ValueError(f"the global '{name}' of code that is in no module can change unseen: put it into a module")
        return {"module": module}, [["attr", name]]

    def _of(self, guard, test=None, **facts):
        """A test of what the guard is about, which is called like the guard's kind if nothing else is said."""
        root, steps = self._path(guard.kind, self._parts(guard)["source"])
        return {"test": test or guard.kind.lower(), "of": [root, steps], **facts}

    # ---- kinds ----

    def _lambda_guard(self, guard):
        if guard.text == _NO_HOOKS:
            return {"test": "no_hooks"}
        if guard.text.startswith(METADATA):
            self._contexts += 1
            return []
        if guard.text.startswith(_TRANSFORMED):
            return self._no_transformations(guard)
        if sides_of(guard.text):
            return self._object_aliasing(guard)
        test = self._of_float(guard)
        if test is not None:
            return test
        return None if is_stated(self._inputs, guard.text) else self._over_extents(guard)  # the wrapper tests what the graph states

    _symbolic_shape_guard = _lambda_guard

    def _no_transformations(self, guard):
        if guard.text != f"{_TRANSFORMED}[])":
            self._refuse(guard, "it is inside of a transformation of torch.func")
        return {"test": "no_transformations"}

    def _dual_level_match(self, guard):
        if guard.text != _DUAL_LEVEL:
            self._refuse(guard, "it is inside of torch.autograd.forward_ad.dual_level")
        return self._constant({"module": "torch.autograd.forward_ad"}, [["attr", "_current_level"]], -1)

    def _over_extents(self, guard):
        """The test of a condition over sizes, strides and ints where the graph does not take all of them."""
        try:
            holds, reads = condition_of(guard.text, self._place)
        except (SyntaxError, ValueError) as problem:
            self._refuse(guard, str(problem))
        ints = [path for path in reads if not is_extent(path)]
        if not reads or any(not isinstance(root, str) for root, _ in reads) or any(type(self._value(*path)) is not int for path in ints):
            self._refuse(guard)
        types_of_ints = [self._at(*path, type="int") for path in ints]
        return [*types_of_ints, {"test": "over_extents", "of": reads[0], "reads": reads, "holds": holds}]

    def _of_float(self, guard):
        """The test of a float that the graph computes with, or that chose the graph; None if it is neither."""
        text = _TURNED.sub(lambda found: f"{found[3]} {found[2].translate(_OTHER_WAY)} {found[1]}", guard.text)
        number, compared = _NUMBER.fullmatch(text), _COMPARED.fullmatch(text)
        if not number and not compared:
            return None
        root, steps = self._path(guard.kind, number[1] if number else compared[1])
        if type(self._value(root, steps)) is not float:
            return None
        if number:
            return {"test": "not_nan", "of": [root, steps]}
        value = float(compared[3])
        if compared[2] == "==":
            return self._constant(root, steps, value)
        return {"test": "compared", "of": [root, steps], "by": compared[2], "value": {"constant": value}}

    def _global_state(self, guard):
        state = guard.text.removeprefix("___check_global_state() against ")
        return {"test": "global_state", "state": state, "inference": self._inference}

    def _torch_function_mode_stack(self, guard):
        if torch._C._len_torch_function_stack():
            self._refuse(guard, "there is a torch function mode")
        return {"test": "no_modes"}

    def _default_device(self, guard):
        if guard.text != "utils_device.CURRENT_DEVICE == None":
            self._refuse(guard)
        return {"test": "no_default_device"}

    def _type_match(self, guard):
        test = self._of(guard, type=self._parts(guard)["type"])
        root, steps = test["of"]
        if root == _NAMEDTUPLES:
            return test
        value = self._value(root, steps)
        test |= code_of(type(value))
        return [test, *without_hooks(root, steps)] if isinstance(value, torch.nn.Module) else test

    def _id_match(self, guard):
        parts = self._parts(guard)
        source = parts["source"]
        if self._is_class(source):
            return None
        if source.startswith(f"L['{NESTED}']["):
            return self._continuation(guard, source)
        root = re.match(r"L\['(\w+)'\]", source)
        if parts["type"] in _CODE and (root is None or root[1] not in self._names):
            if root is not None and root[1] in self._free:
                found = self._named(*self._path(guard.kind, source.removesuffix(".__code__")))
                self.of_code.setdefault(root[1], []).extend(found or [f"Dynamo tests {guard}"])
            return None if root is not None else self._in_method(guard, source)
        root, steps = self._path(guard.kind, source.removesuffix(".__code__"))
        if any(root == place and steps[: len(way)] == way for (place, way), _ in self._data if len(way) < len(steps)):
            return None  # all that data has is tested
        return self._named(root, steps) or self._refuse(guard)

    def _in_method(self, guard, source):
        """Tests of code in the closure or the defaults of a method, if no name finds a class on the way: of two that one function makes, each
        has its own."""
        if not any(f".{name}[" in source for name in ("__closure__", *_DEFAULTS)) or source.startswith("G["):
            return None
        root, steps = self._path(guard.kind, source.removesuffix(".__code__"))
        passed = [self._value(root, steps[:i]) for i in range(len(steps))]
        if all(class_text(value) is None for value in passed if isinstance(value, type)):
            return None
        return self._named(root, steps) or self._refuse(guard)

    def _continuation(self, guard, source):
        """A test that the function for the rest of an outer function is that which it was: load() passes its own, which has a number."""
        root, steps = self._path(guard.kind, source.removesuffix(".__code__"))
        value = self._value(root, steps)
        if not source.endswith(".__code__") or not isinstance(value, types.FunctionType):
            self._refuse(guard)
        return self._constant(root, [*steps, ["attr", "number"]], self._number_of(value.__code__))

    def _value(self, root, steps):
        """What was there when the graph was compiled."""
        return reader([root, steps], list(self._values))(tuple(self._values.values()))

    def _named(self, root, steps):
        """Tests that tell what a program is made of: a member of an Enum, a function, a class. None for anything else."""
        value = self._value(root, steps)
        if isinstance(value, enum.Enum):
            facts = [name for name in ("_name_", "_value_") if type(getattr(value, name)) in PLAIN]
            return [of_class(root, steps, type(value)), *[self._constant(root, [*steps, ["attr", name]], getattr(value, name)) for name in facts]]
        if isinstance(value, types.FunctionType) and is_found(value):
            # By its names, too, since its module may be loaded later; and its code's, which functools.wraps does not copy.
            names = {"__module__": [], "__qualname__": [], "co_qualname": [["attr", "__code__"]]}
            tests = [self._constant(root, [*steps, *way, ["attr", name]], read_of(value, way, name)) for name, way in names.items()]
            return [*tests, same_as([root, steps], value.__module__, value.__qualname__)]
        if isinstance(value, type) and is_found(value):
            tests = [self._constant(root, [*steps, ["attr", name]], getattr(value, name)) for name in ("__module__", "__qualname__")]
            return [*tests, same_as([root, steps], value.__module__, value.__qualname__)]
        if isinstance(value, types.BuiltinFunctionType):
            module = module_of_builtin(value)
            if module is not None:
                return [same_as([root, steps], module, value.__name__)]
        text = code_text(value)
        if text is not None:
            return [{"test": "same_code", "of": [root, steps], "code": text}]
        if isinstance(value, torch.optim.Optimizer) and type(value).__module__.startswith("torch.optim."):
            return self._optimizer(root, steps, value)
        return self._of_data(root, steps, value) if is_data(value) else None

    def _optimizer(self, root, steps, value):
        """Tests of an optimizer of PyTorch's own, of whose methods a graph break calls those of its class."""
        self._optimizers.append([root, steps])
        return [of_class(root, steps, type(value))]

    def _refuse_parts_of_optimizers(self, tests):
        """Dynamo knows which optimizer it is, so it need not test all that it reads there."""
        for root, steps in self._optimizers:
            for test in tests:
                place, way = test.get("of", (None, ()))
                if place == root and way[: len(steps)] == steps and len(way) > len(steps) and test["test"] != "dict_contains":
                    self._refuse(f"the optimizer {text_of([root, steps])}", f"the graph depends on {text_of([place, way])}")

    def _of_data(self, root, steps, value):
        """Tests of an object that is another one in another process. None where the graph may depend on which of two it is."""
        of = [root, steps]
        others = [(place, other) for place, other in self._data if type(other) is type(value) and place != of]
        if any(other is not value for _, other in others):
            return None
        self._data.append((of, value))
        tests = [{"test": "same_object", "of": of, "other": place} for place, _ in others]
        return [of_class(root, steps, type(value)), *tests, {"test": "same_data", "of": of, "attributes": repr(vars(value))}]

    def _at(self, root, steps, **facts):
        return {"test": "type_match" if "type" in facts else "equals_match", "of": [root, steps], **facts}

    def _constant(self, root, steps, value):
        return self._at(root, steps, value={"constant": value})

    def _is_class(self, source):
        """Is it a class that is found from a global? Dynamo shows a class as itself, and not as what it is an instance of."""
        steps = re.fullmatch(r"G((?:\['\w+'\]|\.\w+)+)", source)
        value = self._function.__globals__
        for item, attribute in re.findall(r"\['(\w+)'\]|\.(\w+)", steps[1]) if steps else ():
            value = value.get(item) if item and isinstance(value, dict) else getattr(value, attribute or item, None)
        return steps is not None and isinstance(value, type)

    def _equals_match(self, guard):
        if guard.parts is not None and guard.parts["source"].endswith(NAMES):
            return self._flattens(guard, guard.parts)
        test = self._of(guard, test="equals_match")
        if test["of"][0] == _NAMEDTUPLES:
            return test
        value = self._value(*test["of"])
        said = self._parts(guard).get("value", repr(value))  # that it is NaN is a guard without a value
        entry = entry_of(value, lambda _: self._refuse(guard))
        if not is_said(repr(value), said) or not is_same(value_of(entry), value):
            self._refuse(guard)
        return {**test, "value": entry}

    _float_is_nan = _complex_is_nan = _equals_match

    def _constant_match(self, guard):
        parts = self._parts(guard)
        return self._constant(*self._path(guard.kind, parts["source"]), ast.literal_eval(parts["value"]))

    _true_match = _false_match = _none_match = _constant_match

    def _not_none(self, guard):
        return self._of(guard)

    def _length_check(self, guard):
        parts = self._parts(guard)
        source, length = (parts["source"], int(parts["length"])) if parts["empty"] is None else (parts["empty"], 0)
        root, steps = self._path(guard.kind, source)
        return {"test": "length_check", "of": [root, steps], "length": length}

    _dict_length = _length_check

    def _dict_contains(self, guard):
        parts = self._parts(guard)
        test = self._of(guard, test="dict_contains", there=not parts["absent"])
        key = ast.literal_eval(parts["key"])
        return {**test, "key": key} if type(key) in (int, str, bool) else self._refuse(guard)

    _set_contains = _set_not_contains = _dict_contains

    def _is_of_nodes(self, guard):
        source = (guard.parts or {}).get("source") or ""
        return source.endswith(_NODES) and self._are_nodes(ast.parse(source, mode="eval").body)

    def _are_nodes(self, node):
        if not isinstance(node, ast.Attribute) or node.attr != _NODES:
            return False
        return getattr(self._value(*self._place(node.value)), _NODES, None) is pytree.SUPPORTED_NODES

    def _hasattr(self, guard):
        parts = self._parts(guard)
        return self._of(guard, test="hasattr", key=parts["key"], there=not parts["absent"])

    _no_hasattr = _hasattr

    def _object_aliasing(self, guard):
        sides = sides_of(guard.text) or self._refuse(guard)
        return {"test": "same_object", "of": list(self._path(guard.kind, sides[0])), "other": list(self._path(guard.kind, sides[1]))}

    def _tensor_match(self, guard):
        parts = self._parts(guard)
        if parts["type"] not in ("Tensor", "Parameter"):
            return self._subclass_match(guard, parts)
        keys = set(parts["keys"].split(", "))
        if not keys <= _KEYS:
            self._refuse(guard, f"a tensor with {', '.join(sorted(keys - _KEYS))}")
        # Inference tensors have neither of two keys; but one of them any tensor has outside of inference mode, and the other none under it.
        lacking = "ADInplaceOrView" if self._inference else "AutogradCPU"
        return self._of(
            guard, parameter=parts["type"] == "Parameter", dtype=parts["dtype"], requires_grad=parts["requires_grad"] == "True", inference=lacking not in keys,
            size=ast.literal_eval(parts["size"]), stride=ast.literal_eval(parts["stride"]),
        )  # fmt: skip
