"""Arithmetic read and worked out exactly: no `eval`, no Python syntax, nothing but numbers.

Rational numbers stay exact (0.1 + 0.2 is 0.3, 1/3*3 is 1); roots and logarithms become floats where they must. Every single
operation is bounded in size, so that no expression takes longer than some milliseconds:

    sum      := product (("+" | "-") product)*
    product  := signed (("*" | "/" | "//" | "%" | "mod") signed | beside)*
    signed   := ("+" | "-") signed | power
    power    := postfix ("^" signed)?
    beside   := power, after a number, "(" or ")": 2(3+4); not after "/" or "^", where it could mean two things
    postfix  := primary ("!" | "%" | "‰" | "万" | "亿")*
    primary  := NUMBER | CONSTANT | FUNCTION "(" sum ("," sum)* ")" | "(" sum ")" | "√" postfix
"""

import re
from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction

from tao.tools.builtin.functions import CONSTANTS, FUNCTIONS, CalculationError, Number, factorial, power, root, sized
from tao.tools.builtin.spelling import plain
from tao.tools.words import say

LONGEST = 1000
"""Characters in an expression."""

DEEPEST = 50
"""Parentheses, signs and powers inside each other."""

MOST_DIGITS = 400
"""Digits of a whole number written out in full."""

_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?")
_PLAIN = re.compile(r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4}(?![\w.]))?")
_NAME = re.compile(r"[A-Za-z][A-Za-z_0-9]*")
_TIMES = re.compile(r"[xX](?=\s*[\d(.√])")
_HEX = re.compile(r"0[xX](?=0*[1-9A-Fa-f])[0-9A-Fa-f]+")
_SIGN = re.compile(r"//|\*\*|[-+*/^%‰!(),√万亿]")


def calculate(expression: str) -> str:
    """Work out an expression and write the result as plain text. Raises CalculationError (a ValueError) with what to do instead."""
    text, _, said = (part.strip() for part in plain(expression).partition("="))
    if not text:
        raise CalculationError(say("the expression is empty; give one such as 2*(3+4)", "算式为空；请给出算式，例如 2*(3+4)"))
    if len(text) > LONGEST:
        raise CalculationError(say(f"the expression is longer than {LONGEST} characters; split it", f"算式超过 {LONGEST} 个字符；请拆开计算"))
    try:
        value = _Reader(text).whole()
        if said and not _equal(value, _Reader(said).whole(), said):
            found = written(value)
            raise CalculationError(say(f"{text} is {found}, not {said}", f"{text} 等于 {found}，不是 {said}"))
        return written(value)
    except OverflowError:
        raise CalculationError(say("the result is too large", "结果过大")) from None


def _equal(value: Number, other: Number, text: str) -> bool:
    """Whether a value is the one that was written after "=", rounded to as many places."""
    places = len(text.partition(".")[2]) if re.fullmatch(r"-?\d*\.\d+", text) else 0
    return value == other or written(value) == written(other) or (places > 0 and 2 * abs(float(value) - float(other)) * 10**places <= 1)


class _Reader:
    """Reads one expression from left to right and computes as it goes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.pieces = _pieces(text)
        self.at = 0
        self.depth = 0

    def whole(self) -> Number:
        """The value of the whole text."""
        value = self._sum()
        if self.at < len(self.pieces):
            raise self._unexpected()
        return value

    def _next(self) -> str:
        return self.pieces[self.at] if self.at < len(self.pieces) else ""

    def _take(self, *signs: str) -> str:
        """The next piece, if it is one of these; "" otherwise."""
        piece = self._next()
        if piece and piece in signs:
            self.at += 1
            return piece
        return ""

    def _sum(self) -> Number:
        value = self._product()
        while sign := self._take("+", "-"):
            at = self.at
            other = self._product()
            self._share(value, at)
            value = sized(_both(value, other, (lambda a, b: a + b) if sign == "+" else (lambda a, b: a - b)))
        return value

    def _product(self) -> Number:
        value, divided = self._signed(), False
        while (sign := self._take("*", "/", "//", "%", "mod", "x", "X")) or self._beside(divided=divided):
            divided = divided or sign in {"/", "//", "%", "mod"}
            other = self._signed()
            if sign in {"", "*", "x", "X"}:
                value = sized(_both(value, other, lambda a, b: a * b))
                continue
            if other == 0:
                raise CalculationError(say("division by zero", "除数为零"))
            divide = {"/": lambda a, b: a / b, "//": lambda a, b: a // b}.get(sign, lambda a, b: a % b)
            value = sized(_both(value, other, divide))
        return value

    def _beside(self, *, divided: bool) -> bool:
        """Whether a factor stands there without a sign: "(" or a root after a number or ")", a number after ")", pi after both."""
        piece, last = self._next(), self.pieces[self.at - 1]
        if piece not in {"(", "√", "pi"} and not (last == ")" and piece[:1].isdecimal()):
            return False
        if divided or self.pieces[self.at - 2 : self.at - 1] in (["^"], ["**"]) or not (last[0].isdecimal() or last[0] in ".)!"):
            raise self._unexpected()
        return True

    def _share(self, value: Number, at: int) -> None:
        """Raise for 200+10%, which people mean as 220 and mathematics as 200.1; 1+10% and 20%+10% are one thing."""
        number, *rest = self.pieces[at : self.at]
        if rest == ["%"] and value != 1 and self.pieces[at - 2] != "%":
            whole, sign = written(value), self.pieces[at - 1]
            raise CalculationError(say(
                f"{whole}{sign}{number}% can mean {whole}*(1{sign}{number}%) or {whole}{sign}{number}/100; write which",
                f"{whole}{sign}{number}% 可以指 {whole}*(1{sign}{number}%)，也可以指 {whole}{sign}{number}/100；请写明是哪一种",
            ))  # fmt: skip

    def _signed(self) -> Number:
        self.depth += 1
        if self.depth > DEEPEST:
            raise CalculationError(say(f"nested more than {DEEPEST} deep; split the expression", f"嵌套超过 {DEEPEST} 层；请拆开计算"))
        if sign := self._take("+", "-"):
            value = self._signed()
            value = -value if sign == "-" else value
        else:
            value = self._postfix()
            if self._take("^", "**"):
                value = sized(power(value, self._signed()))
        self.depth -= 1
        return value

    def _postfix(self) -> Number:
        value = self._primary()
        while True:
            if self._take("!"):
                value = factorial(value)
            elif self._next() == "%" and not self._operand_at(self.at + 1):
                self.at += 1
                value = _both(value, Fraction(100), lambda a, b: a / b)
            elif self._take("‰"):
                value = _both(value, Fraction(1000), lambda a, b: a / b)
            elif unit := self._take("万", "亿"):
                value = sized(_both(value, Fraction(10**4 if unit == "万" else 10**8), lambda a, b: a * b))
            else:
                return value

    def _operand_at(self, at: int) -> bool:
        """Whether a value begins there, so that a percent sign before it is "modulo"."""
        piece = self.pieces[at] if at < len(self.pieces) else ""
        return bool(piece) and (piece[0].isalnum() or piece[0] in "(.√") and piece not in {"mod", "x", "X", "万", "亿"}

    def _primary(self) -> Number:
        piece = self._next()
        self.at += 1
        if piece[:1].isdecimal() or piece[:1] == ".":
            return sized(Fraction(piece.replace(",", "")))
        if piece == "(":
            value = self._sum()
            self._close()
            return value
        if piece == "√":
            self.depth += 1
            if self.depth > DEEPEST:
                raise CalculationError(say(f"nested more than {DEEPEST} deep", f"嵌套超过 {DEEPEST} 层"))
            value = root(self._postfix(), 2)
            self.depth -= 1
            return value
        name = piece.lower()
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name in FUNCTIONS and self._take("("):
            return self._call(name)
        self.at -= 1
        raise self._unexpected()

    def _call(self, name: str) -> Number:
        args: list[Number] = []
        while not args or self._take(","):
            args.append(self._sum())
        self._close()
        least, most, function = FUNCTIONS[name]
        if not least <= len(args) <= most:
            wanted = str(least) if least == most else f"{least}–{most}" if most < LONGEST else f"≥{least}"
            raise CalculationError(say(
                f"{name} takes {wanted} values, got {len(args)} (inside a function, write numbers without thousands separators)",
                f"{name} 需要 {wanted} 个数，收到 {len(args)} 个（函数内的数字请勿使用千位分隔符）",
            ))  # fmt: skip
        try:
            return sized(function(*args))
        except (ValueError, ZeroDivisionError, TypeError) as error:
            if isinstance(error, CalculationError):
                raise
            raise CalculationError(say(f"{name} is not defined for these values", f"{name} 对这些数没有定义")) from None

    def _close(self) -> None:
        if not self._take(")"):
            raise self._unexpected() if self._next() else CalculationError(say("a closing parenthesis is missing", "缺少右括号"))

    def _unexpected(self) -> "CalculationError":
        piece = self._next()
        if not piece:
            return CalculationError(say("the expression ends too early", "算式不完整"))
        if _NAME.fullmatch(piece) and piece.lower() not in {*CONSTANTS, *FUNCTIONS}:
            names = ", ".join(sorted(FUNCTIONS))
            return CalculationError(say(
                f"unknown name {piece[:40]!r}; only numbers, pi, e and these functions: {names}",
                f"未知名称 {piece[:40]!r}；只能使用数字、pi、e 和这些函数：{names}",
            ))  # fmt: skip
        if piece.lower() in FUNCTIONS and self.pieces[self.at + 1 : self.at + 2] != ["("]:
            return CalculationError(say(f"write {piece}(…) with parentheses", f"请写成 {piece}(…)，带括号"))
        if piece[0].isalnum() or piece == "(":
            return CalculationError(say(f"an operator is missing before {piece[:40]!r}; write 2*(3+4), not 2(3+4)",
                               f"{piece[:40]!r} 前缺少运算符；请写 2*(3+4)，不要写 2(3+4)"))  # fmt: skip
        return CalculationError(say(f"unexpected {piece!r} in {self.text[:80]!r}", f"{self.text[:80]!r} 中的 {piece!r} 位置不对"))


def _pieces(text: str) -> list[str]:
    """The expression in pieces. A comma groups thousands, except directly inside a function's parentheses."""
    pieces: list[str] = []
    inside: list[bool] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        match = (None if inside and inside[-1] else _GROUPED.match(text, at)) or _PLAIN.match(text, at)
        if pieces and (pieces[-1][0].isdecimal() or pieces[-1] in {")", "!"}):
            match = _TIMES.match(text, at) or match
        if (odd := _HEX.match(text, at)) and not text[at - 1 : at].isalnum():
            raise CalculationError(say(f"{odd[0]} can mean a hexadecimal number or 0*{odd[0][2:]}; write which", f"{odd[0]} 可以指十六进制数，也可以指 0*{odd[0][2:]}；请写明是哪一种"))
        match = match or _NAME.match(text, at) or _SIGN.match(text, at)
        if match is None:
            raise CalculationError(say(
                f"unexpected character {text[at]!r}: only numbers, + - * / ^ % ! ( ) and functions such as sqrt(2)",
                f"不支持的字符 {text[at]!r}：只能使用数字、+ - * / ^ % ! ( ) 和函数，例如 sqrt(2)",
            ))  # fmt: skip
        piece = match.group()
        if piece == "(":
            inside.append(bool(pieces) and pieces[-1].lower() in FUNCTIONS)
        elif piece == ")" and inside:
            inside.pop()
        pieces.append(piece)
        at = match.end()
    return pieces


def _both(a: Number, b: Number, operate: Callable[[Number, Number], Number]) -> Number:
    """The operation on exact numbers, or on floats as soon as one of them is."""
    if isinstance(a, float) or isinstance(b, float):
        return operate(float(a), float(b))
    return operate(a, b)


def written(value: Number) -> str:
    """A number for people: whole and short decimal numbers exactly, others with 15 digits."""
    if isinstance(value, float):
        return _tidy(f"{value:.15g}")
    value = Fraction(value)
    if value.denominator == 1:
        digits = Decimal(value.numerator).adjusted() + 1
        return str(value.numerator) if digits <= MOST_DIGITS else f"≈{_scientific(value)} ({digits} {say('digits', '位')})"
    exact = Context(prec=20).divide(Decimal(value.numerator), Decimal(value.denominator))
    if Fraction(exact) == value:
        return _tidy(f"{exact.normalize():f}" if exact.adjusted() > -8 else f"{exact.normalize():e}")
    return _scientific(value) if not -8 < exact.adjusted() < 16 else _tidy(f"{Context(prec=15).plus(exact).normalize():f}")


def _scientific(value: Fraction) -> str:
    exact = Context(prec=15).divide(Decimal(value.numerator), Decimal(value.denominator)).normalize()
    return _tidy(f"{exact:e}")


def _tidy(text: str) -> str:
    return "0" if text in {"-0", "-0.0", "0.0"} else text

