# SPDX-License-Identifier: MIT
"""PyTorch's symbolic integers and guards (sympy) as expressions and conditions of the YAML.

The YAML has Python's own notation (schema/SPEC.md): `+ - * // % **`, `min`, `max`, comparisons, `and`, `or`, `not`, over
integers. What has no such form (floats, square roots) is a CaptureError that names it.
"""

import sympy
from sympy.logic.boolalg import And, Not, Or
from torch.utils._sympy import functions
from torch.utils._sympy.functions import CeilToInt, FloorDiv, FloorToInt, Identity, IntTrueDiv, ModularIndexing

from .errors import CaptureError

_OR, _AND, _NOT, _COMPARE, _ADD, _MULTIPLY, _ATOM = range(1, 8)  # how tightly a text binds

_COMPARISONS = {sympy.Eq: "==", sympy.Ne: "!=", sympy.Lt: "<", sympy.Le: "<=", sympy.Gt: ">", sympy.Ge: ">="}
_QUOTIENTS = (FloorDiv, functions.CleanDiv)
_REMAINDERS = (functions.Mod, functions.PythonMod, sympy.Mod)
_CHOICES = {functions.Max: "max", functions.Min: "min", sympy.Max: "max", sympy.Min: "min"}


def text_of(expression, name, where):
    """`expression` as text; `name(symbol)` gives the name of each symbol, `where` begins an error."""
    return _Printer(name, where).text(expression, 0)


class _Printer:
    def __init__(self, name, where):
        self._name = name
        self._where = where

    def text(self, expression, context):
        text, level = self._form(expression)
        # Of products and quotients the right operand, and of comparisons either, needs parentheses at its own level.
        return f"({text})" if level < context or level == context == _MULTIPLY else text

    def _form(self, expression):
        if expression.is_Integer:
            return str(int(expression)), _ATOM if expression >= 0 else _ADD
        if expression.is_Symbol:
            return self._name(expression), _ATOM
        if expression.is_Add:
            return self._sum(expression), _ADD
        if expression.is_Mul and expression.could_extract_minus_sign():
            return f"0-{self.text(-expression, _MULTIPLY)}", _ADD
        if expression.is_Mul:
            return self._product(expression), _MULTIPLY
        for form in (self._power, self._division, self._choice, self._comparison, self._junction):
            found = form(expression)
            if found:
                return found
        raise CaptureError(f"{self._where}: the format has no expression for {expression}")

    def _sum(self, expression):
        # Positive terms first, so that no expression begins with a minus; sympy's own order makes it deterministic.
        terms = sorted(expression.args, key=lambda term: (term.could_extract_minus_sign(), term.is_number, str(term)))
        text = "0" if terms[0].could_extract_minus_sign() else ""
        for term in terms:
            if term.could_extract_minus_sign():
                text += "-" + self.text(-term, _MULTIPLY)
            else:
                text += ("+" if text else "") + self.text(term, _ADD)
        return text

    def _product(self, expression):
        factors = sorted(expression.args, key=lambda factor: (factor.is_number, str(factor)))
        if any(factor.is_Rational and not factor.is_Integer for factor in factors):
            raise CaptureError(f"{self._where}: the format has no fractions, as in {expression}")
        return "*".join(self.text(factor, _ATOM) for factor in factors)

    def _power(self, expression):
        if expression.is_Pow or isinstance(expression, functions.PowByNatural):
            base, exponent = expression.args
            if exponent.is_Integer and int(exponent) >= 0:
                return f"{self.text(base, _ATOM)}**{int(exponent)}", _MULTIPLY
        return None

    def _division(self, expression):
        sign = "//" if isinstance(expression, _QUOTIENTS) else "%" if isinstance(expression, _REMAINDERS) else None
        if sign:
            return self._two(sign, *expression.args)
        if isinstance(expression, ModularIndexing):
            base, divisor, modulus = expression.args
            return self._two("%", FloorDiv(base, divisor), modulus)
        if isinstance(expression, Identity):
            return self._form(expression.args[0])
        if isinstance(expression, (FloorToInt, CeilToInt)) and isinstance(expression.args[0], IntTrueDiv):
            dividend, divisor = expression.args[0].args
            if isinstance(expression, FloorToInt):
                return self._two("//", dividend, divisor)
            if divisor.is_Integer and divisor > 0:
                return self._two("//", dividend + divisor - 1, divisor)
            return f"0-{self._two('//', -dividend, divisor)[0]}", _ADD
        return None

    def _two(self, sign, left, right):
        return f"{self.text(left, _ATOM)}{sign}{self.text(right, _ATOM)}", _MULTIPLY

    def _choice(self, expression):
        for kind, word in _CHOICES.items():
            if isinstance(expression, kind):
                arguments = sorted(expression.args, key=lambda one: (one.is_number, str(one)))
                return f"{word}({', '.join(self.text(one, _ADD) for one in arguments)})", _ATOM
        return None

    def _comparison(self, expression):
        for kind, sign in _COMPARISONS.items():
            if isinstance(expression, kind):
                left, right = self._whole(expression.lhs, expression.rhs)
                return f"{self.text(left, _ADD)} {sign} {self.text(right, _ADD)}", _COMPARE
        return None

    @staticmethod
    def _whole(left, right):
        """Both sides times what makes their fractions whole: s0/2 < 3 is s0 < 6."""
        if any(not rational.is_Integer for rational in left.atoms(sympy.Rational) | right.atoms(sympy.Rational)):
            numerator, denominator = sympy.fraction(sympy.together(left - right))
            if denominator.is_Integer and denominator > 0:
                return numerator, sympy.Integer(0)
        return left, right

    def _junction(self, expression):
        if isinstance(expression, Not):
            return f"not {self.text(expression.args[0], _NOT)}", _NOT
        for kind, word, level in ((And, "and", _AND), (Or, "or", _OR)):
            if isinstance(expression, kind):
                parts = sorted(expression.args, key=str)
                return f" {word} ".join(self.text(part, level) for part in parts), level
        return None
