# SPDX-License-Identifier: MIT
"""Symbolic integers: PyTorch's symbols, what is known about them, and the guards under which a graph was compiled.

Symbols are renamed s0, s1, ... in the order in which the graph's inputs name them, since PyTorch's own numbers differ
from run to run. What is known about a symbol is written as `min`, `max` and `multiple_of`; a guard that says anything
else (two sizes that must differ, say) is written as it is, under `guards`. One that the format cannot state is an error:
without it the graph would run on sizes for which it was not compiled.
"""

import sympy
import torch
from torch.fx.experimental.symbolic_shapes import SymT, symbol_is_type
from torch.utils._sympy.functions import FloorDiv, Max, Mod, PythonMod
from torch.utils._sympy.numbers import int_oo
from torch.utils._sympy.singleton_int import SingletonInt
from torch.utils._sympy.value_ranges import ValueRanges, bound_sympy

from .errors import CaptureError
from .expressions import text_of
from .trace import name_of
from .upstream import COMPARES_NESTED_INTS_UNGUARDED

_UNBOUNDED = 2**62  # a bound this far out does not count as one
_ENUMERABLE = 10000  # a guard on a range this small is tried on every value


class Untold(CaptureError):
    """A symbol that no result tells: AOTAutograd traces twice, and the views that it records have the unbacked symbols of
    the first time, which are those of the graph by another name."""


def is_unbacked(symbol):
    return symbol_is_type(symbol, SymT.UNBACKED_INT)


def is_symbolic(value):
    return isinstance(value, torch.SymInt) and not value.node.expr.is_number


class Symbols:
    """The symbols of one graph. `shape_env` may be None when everything is static."""

    def __init__(self, shape_env, taken=(), nested=None):
        self._shape_env = shape_env
        self._nested = dict(nested or {})  # nested int that an argument tells -> its name, which ragged.py has chosen
        self._names = {}  # sympy symbol -> s0, s1, ..., or u0, u1, ... of an unbacked one
        self._taken = set(taken)  # names of values
        self._known = set()  # unbacked symbols that results tell
        self._told = {}  # a result's expression -> the symbol made for it
        self._solved = {}  # unbacked symbol -> what it is in terms of such a symbol
        self._fixed = {}  # number that was a symbol when PyTorch counted what it passes -> a name

    def text(self, value, where):
        """`value` (int, SymInt) as an integer of the YAML: an int, or a string for an expression."""
        if isinstance(value, bool):
            return int(value)
        if isinstance(value, int):
            return value
        if not isinstance(value, torch.SymInt):
            raise CaptureError(f"{where}: a {type(value).__name__} where an integer was expected")
        expression = self._simplified(value.node.expr)
        if expression.is_Integer:
            return int(expression)
        return self._print_told(expression, where)

    def passed(self, value, where):
        """The same for a number that is a value of its own for the compiled function. PyTorch passes what was a symbol when it
        looked, though a guard may have made a number of it since; a literal would say that it is not passed."""
        text = self.text(value, where)
        if not isinstance(value, torch.SymInt) or isinstance(text, str):
            return text
        if text not in self._fixed:
            self._fixed[text] = self._free_name("s")
        return self._fixed[text]

    def _free_name(self, kind):
        number = sum(name.startswith(kind) for name in (*self._names.values(), *self._fixed.values()))
        while f"{kind}{number}" in self._taken:
            number += 1
        self._taken.add(f"{kind}{number}")
        return f"{kind}{number}"

    def _print_told(self, expression, where):
        expression = self._told.get(expression, expression)
        return self._print(expression.xreplace(self._solved), where)

    def tell(self, results):
        """Symbols for `results`: sizes and ints that the graph returns, in the order in which it does. To be called
        before any text() of what depends on unbacked symbols."""
        expressions = [self._simplified(value.node.expr) for value in results if isinstance(value, torch.SymInt)]
        known = self._known = {expression for expression in expressions if expression.is_Symbol}
        for expression in expressions:
            unknown = [symbol for symbol in expression.free_symbols if is_unbacked(symbol) and symbol not in known]
            if not unknown or expression in self._told:
                continue
            symbol = sympy.Symbol(f"told{len(self._told)}", integer=True)
            self._told[expression] = symbol
            solved = _solved(expression, symbol, unknown)
            if solved is not None:
                self._solved[unknown[0]] = solved
                known.add(unknown[0])

    def depends_on_results(self, value):
        """Is `value` a SymInt that only results of the graph tell?"""
        if not isinstance(value, torch.SymInt):
            return False
        return any(is_unbacked(symbol) for symbol in self._simplified(value.node.expr).free_symbols)

    def texts(self, values, where):
        return [self.text(value, where) for value in values]

    def evaluate(self, value, bindings):
        """The number that `value` has when symbols (sympy) have the numbers of `bindings`; None if it depends on one that
        has none."""
        if isinstance(value, int):
            return value
        number = self._simplified(value.node.expr).xreplace({k: sympy.Integer(v) for k, v in bindings.items()})
        return None if any(map(is_unbacked, number.free_symbols)) else int(number)

    def bind(self, value, number, bindings):
        """Records in `bindings` what `number` says about a size that is just a symbol."""
        if is_symbolic(value):
            expression = self._simplified(value.node.expr)
            if expression.is_Symbol:
                bindings.setdefault(expression, number)

    def declarations(self):
        """The YAML's `symbols`: the ones that text() has met."""
        bounds = {symbol: self._bounds(symbol) for symbol in self._names}
        result = []
        for symbol, name in self._names.items():
            entry = {"name": name}
            lower, upper = bounds[symbol]
            if is_unbacked(symbol) or symbol in self._told.values():
                entry["unbacked"] = True
                lower = None if lower is not None and lower <= -_UNBOUNDED else lower
            if lower is not None:
                entry["min"] = lower
            if upper is not None:
                entry["max"] = upper
            if self._multiple_of(symbol) != 1:
                entry["multiple_of"] = self._multiple_of(symbol)
            result.append(entry)
        return result + [{"name": name, "min": number, "max": number} for number, name in self._fixed.items()]

    def _simplified(self, expression):
        expression = sympy.sympify(self._shape_env.replace(expression) if self._shape_env else expression)
        # A stride is Max(1, size) in PyTorch; if the size is known to be at least 1, it is the size.
        for maximum in expression.atoms(Max) if self._shape_env else ():
            ranges = {symbol: self._shape_env.var_to_range[symbol] for symbol in maximum.free_symbols}
            for argument in maximum.args:
                lowest = bound_sympy(argument, ranges).lower
                others = [other for other in maximum.args if other is not argument]
                if all(other.is_number and lowest >= other for other in others):
                    expression = expression.xreplace({maximum: argument})
                    break
        return expression

    def _name(self, symbol, where):
        if symbol in self._nested:
            return self._nested[symbol]
        told = symbol in self._told.values()
        if not told and symbol not in self._shape_env.var_to_range:
            raise CaptureError(f"{where}: symbol {symbol} is not an integer that a tensor or a number tells")
        if not told and is_unbacked(symbol) and symbol not in self._known:
            raise Untold(f"{where}: no result tells what {symbol} is")
        if symbol not in self._names:
            self._names[symbol] = self._free_name("u" if told or is_unbacked(symbol) else "s")
        return self._names[symbol]

    def _print(self, expression, where):
        return text_of(expression, lambda symbol: self._name(symbol, where), where)

    def _multiple_of(self, symbol):
        result = 1
        for expression, told in self._told.items():
            if told == symbol:
                return _content(expression)
        for fact in self._shape_env.divisible if self._shape_env else ():
            multiple = _divisor(fact, symbol)
            if multiple is not None:
                result = int(sympy.ilcm(result, multiple))
        return result

    def _bounds(self, symbol):
        """PyTorch's range, tightened if a guard forbids its ends (a guard `s0 != 7` on 1..7 leaves 1..6)."""
        known = self._shape_env.var_to_range.get(symbol)
        for expression, told in self._told.items():
            if told == symbol:
                ranges = {one: self._shape_env.var_to_range[one] for one in expression.free_symbols}
                known = bound_sympy(expression, ranges)
        lower = int(known.lower) if known.lower.is_Integer else None
        upper = int(known.upper) if known.upper.is_Integer and int(known.upper) < _UNBOUNDED else None
        for fact in self._facts() * 2:  # twice: one tightening may expose an end that an earlier guard forbids
            if fact.free_symbols == {symbol}:
                while lower is not None and lower != upper and not _holds(fact, symbol, lower):
                    lower += 1
                while upper is not None and lower != upper and not _holds(fact, symbol, upper):
                    upper -= 1
        return lower, upper

    def _facts(self):
        facts = [self._shape_env.replace(guard.expr) for guard in self._shape_env.guards] if self._shape_env else []
        return [fact for fact in facts + self._identities() if fact not in (sympy.true, True) and not self._is_about_identity(fact)]

    def _identities(self):
        """Which nested ints of arguments are the same, where PyTorch makes no guard of it. Dynamo has one about the tensors that own
        them, whether the function compares them or not."""
        if not COMPARES_NESTED_INTS_UNGUARDED or self._shape_env is None:
            return []
        different, result = [], []  # one of each
        for symbol, sources in self._shape_env.var_to_sources.items():
            if not self._is_nested(symbol) or any(source.is_ephemeral() for source in sources):
                continue
            same = next((other for other in different if self._are_same(symbol, other)), None)
            if same is not None:
                result.append(sympy.Eq(same, symbol))
                continue
            result += [sympy.Ne(other, symbol) for other in different]
            different.append(symbol)
        return result

    def _are_same(self, *nested):
        return sympy.Eq(*(self._shape_env.backed_var_to_val[symbol] for symbol in nested)) == sympy.true

    def _is_nested(self, symbol):
        return isinstance(self._shape_env.backed_var_to_val.get(symbol), SingletonInt)

    def _is_about_identity(self, fact):
        """A fact about one nested int holds for any: it is not equal to a number, and at least 2 of any size. That two are the
        same, or are not, is a guard; PyTorch has no other about two."""
        nested = {symbol for symbol in fact.free_symbols if self._is_nested(symbol)}
        if isinstance(fact, (sympy.Eq, sympy.Ne)) and len(nested) == 2 and nested == set(fact.args):
            return False
        if len(nested) > 1:
            raise CaptureError(f"PyTorch compiled this graph under the guard {fact}, which compares nested ints")
        return bool(nested)

    def _told_symbols(self):
        """Those that an argument of the graph tells, or a result."""
        return self._names.keys() | self._nested.keys()

    def guards(self, untested=frozenset(), tested=False):
        """The YAML's `guards`: what PyTorch took for granted beyond what declarations() says, in its order. Those about symbols
        in `untested` are left to untested.py. `tested`: whoever calls the wrapper tests all guards before, so those that
        no argument tells are left out."""
        bounds = {symbol: self._bounds(symbol) for symbol in self._names}
        result = []
        for fact in self._facts():
            if tested and fact.free_symbols - self._told_symbols():
                continue
            if not fact.free_symbols & untested and (fact.free_symbols - bounds.keys() or not self._is_stated(fact, bounds)):
                result += [self._guard(sign) for sign in self._divisors(fact)]
                result.append(self._guard(fact))
        return list(dict.fromkeys(result))

    def _divisors(self, fact):
        """What must hold for the guard to be computed at all: that a divisor has the sign that it had. The format refuses a division
        by what may be 0, unless a guard before it says that it is not; one that always holds costs nothing."""
        for operation in sorted(fact.atoms(FloorDiv, Mod, PythonMod, sympy.Mod), key=lambda one: (one.count_ops(), str(one))):
            divisor = operation.args[1]
            value = divisor.xreplace(self._shape_env.backed_var_to_val)
            if divisor.free_symbols and value.is_number:
                yield (sympy.Gt if value > 0 else sympy.Lt)(divisor, 0, evaluate=False)  # whatever sympy knows: the format knows less

    # ---- what no argument tells ----

    def known(self, size):
        """What is known about a size of a tensor that the graph does not take: a number, an expression of symbols that arguments
        tell, or a condition such as 2..24%4."""
        if not self.untested_in(size):
            return self.text(size, "a size")
        expression = self._simplified(size.node.expr)
        if not expression.is_Symbol or self._is_nested(expression):
            return "any"
        lower, upper = self._bounds(expression)
        multiple = self._multiple_of(expression)
        text = f"{'' if lower is None else lower}..{'' if upper is None else upper}"
        return text + (f"%{multiple}" if multiple > 1 else "")

    def untested_in(self, value):
        """The symbols of `value` that no argument tells."""
        return self._simplified(value.node.expr).free_symbols - self._told_symbols() if is_symbolic(value) else set()

    def unnamed(self):
        """The symbols of guards that text() has not met."""
        return set().union(*(fact.free_symbols for fact in self._facts())) - self._told_symbols()

    def guards_about(self, symbols):
        return [fact for fact in self._facts() if fact.free_symbols & symbols]

    def source_of(self, symbol):
        """Dynamo's words for a symbol."""
        sources = self._shape_env.var_to_sources.get(symbol)
        return name_of(sources[0]) if sources else str(symbol)

    # ----

    def _guard(self, fact):
        unknown = [str(symbol) for symbol in fact.free_symbols if symbol not in self._told_symbols()]
        if unknown:
            raise CaptureError(
                f"PyTorch compiled this graph under the guard {fact}; no argument of the graph tells {', '.join(unknown)}"
            )
        return self._print(fact, f"the guard {fact}")

    def _is_stated(self, fact, bounds):
        """Does `fact` follow from what declarations() writes?"""
        if len(fact.free_symbols) == 1:
            (symbol,) = fact.free_symbols
            multiple = self._multiple_of(symbol)
            divisor = _divisor(fact.lhs, symbol) if isinstance(fact, sympy.Eq) and fact.rhs == 0 else None
            if divisor is not None and multiple % divisor == 0:
                return True
            lower, upper = bounds.get(symbol) or self._bounds(symbol)
            if lower is not None and upper is not None and upper - lower <= _ENUMERABLE:
                values = (value for value in range(lower, upper + 1) if value % multiple == 0)
                return all(_holds(fact, symbol, value) for value in values)
        ranges = {symbol: _value_range(bounds.get(symbol) or self._bounds(symbol)) for symbol in fact.free_symbols}
        return bound_sympy(fact, ranges).lower == sympy.true


def _holds(fact, symbol, value):
    return bool(fact.xreplace({symbol: sympy.Integer(value)}) == sympy.true)


def _value_range(bounds):
    lower, upper = bounds
    return ValueRanges(-int_oo if lower is None else lower, int_oo if upper is None else upper)


def _solved(expression, symbol, unknown):
    """What the one unknown is if `symbol` is the value of `expression`; None if that is not linear."""
    if len(unknown) != 1 or not expression.is_polynomial(unknown[0]):
        return None
    factors = sympy.Poly(expression, unknown[0]).all_coeffs()
    if len(factors) != 2 or not factors[0].is_Integer or int(factors[0]) <= 0:
        return None
    rest = symbol - factors[1]
    return rest if factors[0] == 1 else FloorDiv(rest, factors[0])


def _content(expression):
    """A number that divides `expression`, whatever its symbols are."""
    terms = sympy.Add.make_args(sympy.expand(expression))
    factors = [term.as_coeff_Mul()[0] for term in terms]
    return int(sympy.igcd(*factors)) if all(factor.is_Integer for factor in factors) and len(factors) > 1 else (
        abs(int(factors[0])) if factors[0].is_Integer else 1)


def _divisor(fact, symbol):
    """k if `fact` is Mod(symbol, k)."""
    if isinstance(fact, (Mod, PythonMod)) and fact.args[0] == symbol and fact.args[1].is_Integer:
        return int(fact.args[1])
    return None


def with_guards(graph, guards):
    """The graph with its guards, which stand before its inputs."""
    if not guards:
        return graph
    entries = list(graph.items())
    at = list(graph).index("inputs")
    return dict(entries[:at] + [("guards", guards)] + entries[at:])
