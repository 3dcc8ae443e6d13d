"""Reads the scores of a sample from a log, and writes the scores of a run into a log.

Inspect grades by letters; Spanloom stores a number, with the letter as its label. Members that
Inspect cannot express are in the score's metadata, under the key ``spanloom``, and are restored
from there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from spanloom.core.exchange.inspect.times import milliseconds
from spanloom.core.exchange.scored import (
    kept_members,
    members_to_keep,
    moment_of,
    usable,
)
from spanloom.core.exchange.unread import note_unread
from spanloom.core.formats.losses import Code
from spanloom.core.model.score import OF_A_RUN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.core.exchange.scored import Row
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses

OURS: Final = "spanloom"
"""Key in the metadata of a sample, event or score for members that Inspect cannot express."""
_GRADES: Mapping[str, float] = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""The numbers for the grades correct, incorrect, partial and no answer."""
_UNSCORED: Final = "N"
"""The value written for a score without a value; the format defines no other value in JSON."""
_BY_A_MODEL = "grading"
"""Key in the metadata of a score that a model graded."""
_OF_A_SCORE = frozenset({"value", "answer", "explanation", "metadata", "history", "reason"})
_MOST_EPOCHS = 10_000


class Scored(NamedTuple):
    """Data about a sample that its scores need."""

    trace_id: str
    experiment: str
    item: str
    epoch: object
    at_ms: int
    """The end of the sample, in milliseconds since the epoch."""


def read_scores(scores: Mapping[str, Any], run: Scored, losses: Losses) -> Iterator[Json]:
    """Yield a score row for each value in the scores of a sample."""
    for scorer, score in scores.items():
        where = f"scores.{scorer}"
        if not isinstance(score, dict):
            losses.note(Code.SCORES_DROPPED, where)
            continue
        metadata = score.get("metadata")
        own: Json = metadata if isinstance(metadata, dict) else {}
        if isinstance(ours := own.get(OURS), dict):
            yield usable(_ours_again(scorer, score, ours, run), where, losses)
            continue
        losses.note(Code.METADATA_DROPPED, f"{where}.metadata", int(bool(own)))
        note_unread(score, _OF_A_SCORE, losses, where)
        for name, value in _values(scorer, score.get("value")):
            yield usable(_row(name, scorer, value, score, run), where, losses)


def _values(scorer: str, value: Any) -> Iterator[tuple[str, Any]]:  # any JSON value
    if isinstance(value, dict):
        for key, one in value.items():
            yield f"{scorer}/{key}", one
    else:
        yield scorer, value


def _row(name: str, scorer: str, value: Any, score: Json, run: Scored) -> Json:
    editor, edited_ms = _edited(score)
    is_graded = isinstance(value, str) and value in _GRADES
    is_by_model = _BY_A_MODEL in (score.get("metadata") or {})
    return {
        "trace_id": run.trace_id,
        "name": name,
        "target": "trajectory",
        "source": "human" if editor else "llm" if is_by_model else "code",
        "author": editor or scorer,
        "status": "na" if value is None else "ok",
        "value": _GRADES[value] if is_graded else value,
        "label": value if is_graded else "",
        "rationale": _rationale(score),
        "error_code": _text(score, "reason") if value is None else "",
        "experiment": run.experiment,
        "item": run.item,
        "repeat": _repeat(run.epoch),
        "at": edited_ms or run.at_ms,
    }


def _edited(score: Json) -> tuple[str, int]:
    """Return author and time in ms of a score's last edit; empty and 0 if it was never edited."""
    history = score.get("history")
    last = history[-1] if isinstance(history, list) and history else None
    provenance = last.get("provenance") if isinstance(last, dict) else None
    if not isinstance(provenance, dict) or not (author := _text(provenance, "author")):
        return "", 0
    return author, milliseconds(provenance.get("timestamp")) or 0


def _rationale(score: Json) -> str:
    answer, explanation = _text(score, "answer"), _text(score, "explanation")
    answered = f"answer: {answer}" if answer else ""
    return "\n".join(filter(None, (answered, explanation)))


def _repeat(epoch: object) -> int:
    return epoch - 1 if isinstance(epoch, int) and 0 < epoch <= _MOST_EPOCHS else 0


def _ours_again(scorer: str, score: Json, ours: Json, run: Scored) -> Json:
    target = ours.get("target")
    value = ours["value"] if "value" in ours else score.get("value")
    at = ours.get("at")
    return {
        "source": "api",
        **kept_members(ours),
        "trace_id": run.trace_id,
        "name": _text(ours, "name") or scorer,
        "author": _text(ours, "author") or scorer,
        "target": target if target in OF_A_RUN else "trajectory",
        "step_id": _text(ours, "step_id"),
        "value": value,
        "rationale": _text(score, "explanation"),
        "at": at if isinstance(at, int) else run.at_ms,
    }


def write_scores(rows: Iterable[Row], losses: Losses) -> Json:
    """Return the member ``scores`` of a sample, with unique names as keys.

    Scores whose target is not the run, a step or a span are counted as losses.
    """
    written: Json = {}
    for row in rows:
        if row.get("target") not in OF_A_RUN:
            losses.note(Code.SCORES_DROPPED, str(row.get("name", "")))
            continue
        names = _names(row, len(written))
        written[next(name for name in names if name not in written)] = _written(row)
    return written


def _names(row: Row, number: int) -> Sequence[str]:
    name, author, step_id = row["name"], row["author"], row.get("step_id") or ""
    return name, f"{name} by {author}", f"{name} by {author} of {step_id}", f"{name} {number + 1}"


def _written(row: Row) -> Json:
    value, label = row.get("value"), row.get("label")
    grade = _GRADES.get(str(label))
    is_graded = grade is not None and not isinstance(value, bool) and grade == value
    shown = label if is_graded else _UNSCORED if value is None else value
    kept = {
        "name": row["name"],
        "author": row["author"],
        "target": row["target"],
        "step_id": row.get("step_id"),
        "at": moment_of(row),
        **members_to_keep(row),
    }
    ours = {name: one for name, one in kept.items() if one not in (None, "")}
    told: Json = {"value": shown, "explanation": row.get("rationale"), "metadata": {OURS: ours}}
    if shown is not value:
        ours["value"] = value
    return {name: one for name, one in told.items() if one not in (None, "")}


def _text(values: Mapping[str, Any], name: str) -> str:
    found = values.get(name)
    return found if isinstance(found, str) else ""
