"""Parses which metrics to compute, and by which groups: ``count,p95(duration)``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanloom.core.query.pieces import Piece, pieces_of, too_many, whole
from spanloom.core.query.stats import (
    COUNT,
    FIELDS,
    GROUPS,
    MAX_BY,
    MAX_METRICS,
    NUMBERS,
    OF_NUMBERS,
    RATE,
    Metric,
)
from spanloom.core.query.where.fields import Field, Subject
from spanloom.core.query.where.problems import InvalidTextError
from spanloom.core.records.declared import FieldType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.query.where.problems import WhereProblem

_CALL = re.compile(r"([a-z0-9]+)(?:\((\w*)\))?")
_EXPECTED = (COUNT, f"{RATE}(FLAG)", *(f"{name}(NUMBER)" for name in OF_NUMBERS))
_METRICS_MESSAGE = (
    f"{{!r}} is none; {COUNT}, {RATE}(FLAG), or one of {', '.join(OF_NUMBERS)} of a number:"
    " p95(duration)"
)


def parse_metrics(text: str, of: Subject) -> Sequence[Metric]:
    """Return the metrics of a text such as ``count,rate(error),p95(duration)``.

    Raises ``InvalidTextError`` with every problem.
    """
    pieces = list(pieces_of(text))
    said = f"at most {MAX_METRICS} can be asked for at once"
    if problem := too_many(text, pieces, MAX_METRICS, said):
        raise InvalidTextError(text, [problem], "metrics")
    return whole(text, [_metric(piece, of) for piece in pieces], "metrics")


def parse_by(text: str, of: Subject, most: int = MAX_BY, parameter: str = "by") -> Sequence[Field]:
    """Return the fields to group by of a text such as ``model,agent``, each once.

    Raises ``InvalidTextError``, which names the parameter, with every problem.
    """
    pieces = [piece for piece in pieces_of(text) if piece.text]
    if problem := too_many(text, pieces, most, f"at most {most} fields can be asked for at once"):
        raise InvalidTextError(text, [problem], parameter)
    read = [_named(piece, _groups(of)) for piece in pieces]
    return list(dict.fromkeys(whole(text, read, parameter)))


def parse_group(name: str, of: Subject) -> Field:
    """Return the field of this name to group by; raises ``InvalidTextError``."""
    [field] = whole(name, [_named(Piece(name, 0), _groups(of))], "name")
    return field


def _metric(piece: Piece, of: Subject) -> Metric | WhereProblem:
    found = _CALL.fullmatch(piece.text)
    function, name = found.groups() if found else ("", None)
    if function == COUNT and not name:
        return Metric(COUNT, name=piece.text)
    if function not in (RATE, *OF_NUMBERS) or not name:
        return piece.wrong(_METRICS_MESSAGE.format(piece.text), expected=_EXPECTED)
    if (function, name, of) == (RATE, "error", Subject.RUN):
        name = "has_error"
    kinds = (FieldType.FLAG,) if function == RATE else NUMBERS
    fields = {field.name: field for field in FIELDS[of].values() if field.type in kinds}
    field = _named(Piece(name, piece.position + len(function) + 1), fields)
    return Metric(function, field, piece.text) if isinstance(field, Field) else field


def _groups(of: Subject) -> Mapping[str, Field]:
    return {f.name: f for f in FIELDS[of].values() if f.type in GROUPS and not f.has_keys}


def _named(piece: Piece, fields: Mapping[str, Field]) -> Field | WhereProblem:
    return fields.get(piece.text) or piece.wrong(f"{piece.text!r} cannot be asked for here", fields)
