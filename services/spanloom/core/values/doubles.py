"""Formats a floating-point number as text in the same way as ClickHouse."""

from __future__ import annotations

import math
from decimal import Decimal


def double_text(number: float) -> str:
    """Return the shortest text that parses to the same number, as ClickHouse writes it."""
    if math.isfinite(number):
        return _finite_text(number)
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def _finite_text(number: float) -> str:
    sign, digits, exponent = Decimal(repr(number)).normalize().as_tuple()
    point = len(digits) + int(exponent)
    text = "0" if number == 0 else _place_point("".join(map(str, digits)), point)
    return f"-{text}" if sign else text


def _place_point(digits: str, point: int) -> str:
    """Return the digits with the decimal point after ``point`` digits, as ECMAScript does."""
    if not -6 < point <= 21:  # Number::toString
        return f"{digits[0]}{'.' if len(digits) > 1 else ''}{digits[1:]}e{point - 1}"
    if point <= 0:
        return f"0.{'0' * -point}{digits}"
    whole, fraction = digits[:point].ljust(point, "0"), digits[point:]
    return f"{whole}.{fraction}" if fraction else whole
