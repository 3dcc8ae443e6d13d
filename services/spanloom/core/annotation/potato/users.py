"""Potato's files of what was said: ``user_state.json``, CSV, and JSON of ``agent_eval``."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Json = dict[str, Any]  # as JSON gives and takes it

LABELS = "instance_id_to_label_to_value"
_NOT_ANNOTATORS = ("id", "instance_id", "item_id")


def write_user_state(user: str, items: Sequence[str], answers: Mapping[str, Json]) -> Json:
    """Return the state of a user; ``answers`` are by item, each by scheme.

    The account has to exist in Potato: it registers no name whose folder it finds.
    """
    return {
        "user_id": user,
        "instance_id_ordering": list(items),
        "current_instance_index": 0,
        "current_phase_and_page": ["annotation", None],
        "completed_phase_and_pages": [],
        "max_assignments": len(items),
        "instance_id_to_span_to_value": {},
        "phase_to_page_to_label_to_value": {},
        "phase_to_page_to_span_to_value": {},
        "instance_id_to_behavioral_data": {},
        LABELS: {
            item: [
                [{"schema": scheme, "name": scheme}, json.dumps(answer, ensure_ascii=False)]
                for scheme, answer in of_schemes.items()
            ]
            for item, of_schemes in answers.items()
        },
    }


def read_file(name: str, content: bytes) -> Iterator[Json]:
    """Yield what a file of Potato's says: ``{item, annotator, scheme, answer}`` each.

    Raises ``ValueError`` for a file that is none of the three.
    """
    if name.endswith(".csv"):
        yield from _read_csv(content.decode("utf-8-sig"))
        return
    whole = orjson.loads(content)
    if isinstance(whole, dict) and LABELS in whole:
        yield from _read_state(whole)
    else:
        yield from _read_evaluation(whole)


def _read_state(state: Json) -> Iterator[Json]:
    user = str(state.get("user_id", ""))
    for item, labels in (state[LABELS] or {}).items():
        for label, text in labels:
            scheme = label.get("schema") if isinstance(label, dict) else str(label)
            yield from _said(item, user, str(scheme), text)


def _read_csv(text: str) -> Iterator[Json]:
    """Read rows with an item, a user, and columns ``scheme.scheme`` that hold JSON."""
    csv.field_size_limit(1 << 24)
    for row in csv.DictReader(io.StringIO(text)):
        item = next((row[key] for key in _NOT_ANNOTATORS if row.get(key)), "")
        user = next((row[key] for key in ("user_id", "user", "annotator") if row.get(key)), "")
        for column, cell in row.items():
            scheme, _, same = (column or "").partition(".")
            if scheme and scheme == same and cell:
                yield from _said(item, user, scheme, cell)


def _read_evaluation(whole: object) -> Iterator[Json]:
    """Read the lists of ``agent_eval``: wherever items have annotations by user."""
    if isinstance(whole, list):
        for entry in whole:
            yield from _read_evaluation(entry)
        return
    if not isinstance(whole, dict):
        raise ValueError("the file is none of Potato's that hold annotations")
    item = next((whole[key] for key in _NOT_ANNOTATORS if key in whole), None)
    annotations = whole.get("annotations")
    if item is not None and isinstance(annotations, (list, dict)):
        yield from _read_item(str(item), annotations)
        return
    for key in ("items", "instances", "results", "annotations", "data", "traces"):
        if isinstance(whole.get(key), (list, dict)):
            inner = whole[key]
            listed = inner if isinstance(inner, list) else list(inner.values())
            yield from _read_evaluation(listed)
            return
    raise ValueError("the file is none of Potato's that hold annotations")


def _read_item(item: str, annotations: object) -> Iterator[Json]:
    """Read the annotations of one item, a list of users' or a mapping by user."""
    if isinstance(annotations, dict):
        listed = [{"user_id": user, "labels": labels} for user, labels in annotations.items()]
    else:
        listed = [one for one in annotations if isinstance(one, dict)]  # type: ignore[attr-defined]
    for one in listed:
        user = next((str(one[k]) for k in ("user_id", "user", "annotator") if one.get(k)), "")
        labels = next(
            (one[k] for k in ("labels", "annotations") if isinstance(one.get(k), dict)), one
        )
        for scheme, said in labels.items():
            held = said.get(scheme) if isinstance(said, dict) and scheme in said else said
            if isinstance(held, (str, dict)):
                yield from _said(item, user, str(scheme), held)


def _said(item: str, user: str, scheme: str, said: object) -> Iterator[Json]:
    """Yield an answer, if it is one: JSON of an object, or the object."""
    if isinstance(said, str):
        try:
            said = orjson.loads(said)
        except orjson.JSONDecodeError:
            return
    if isinstance(said, dict):
        yield {"item": item, "annotator": user, "scheme": scheme, "answer": said}
