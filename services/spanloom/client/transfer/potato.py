"""Tasks for Potato in a folder, and what its users said from its files.

It runs as a program of its own: nothing of it is imported here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.annotation.potato.answers import read_mark, read_steps, write_answer
from spanloom.core.annotation.potato.task import (
    ITEMS_FILE,
    OUTPUT,
    list_steps,
    write_config,
    write_item,
)
from spanloom.core.annotation.potato.users import read_file, write_user_state
from spanloom.core.annotation.score import Score
from spanloom.core.model.annotation import MARK_FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    Json = dict[str, Any]  # as JSON gives and takes it

STATE_FILE = "user_state.json"
_OF_ANSWER = ("steps", "score", "score_complete")


def write_task(
    folder: Path,
    documents: Sequence[Json],
    schemes: Sequence[Json],
    entries: Iterable[Json],
    *,
    with_agents: bool = False,
) -> int:
    """Write a task into a folder, and what annotators said; return how many users that is.

    An account has to be made in Potato before the folder of its user is copied there: it registers
    no name whose folder it finds.
    """
    folder.mkdir(parents=True, exist_ok=True)
    items = [write_item(document, with_agents=with_agents) for document in documents]
    order = {
        d["id"]: [s["id"] for s, _ in list_steps(d, with_agents=with_agents)] for d in documents
    }
    answers = _answers_by_user(entries, order)
    _write(folder / "config.yaml", write_config(folder.name, schemes, answers))
    _write(folder / ITEMS_FILE, items)
    for user, of_items in answers.items():
        place = folder / OUTPUT / _as_folder(user)
        place.mkdir(parents=True, exist_ok=True)
        _write(place / STATE_FILE, write_user_state(user, list(order), of_items))
    return len(answers)


def read_potato(paths: Iterable[Path], items: Path | None = None) -> Iterator[Json]:
    """Yield entries for an import from files and folders of Potato's.

    Steps get our ids where the items have them: those of ``items``, else of ``items.json`` beside
    or above the files. Raises ``ValueError`` for a file that is none of Potato's.
    """
    for path in paths:
        files = sorted(path.rglob(STATE_FILE)) if path.is_dir() else [path]
        order = _read_items(items or _beside(path))
        for file in files:
            for said in read_file(file.name, file.read_bytes()):
                annotator = said["annotator"] or file.parent.name
                yield _entry({**said, "annotator": annotator}, order.get(said["item"]))


def _answers_by_user(
    entries: Iterable[Json], order: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, dict[str, Json]]]:
    found: dict[str, dict[str, dict[str, Json]]] = {}
    for entry in entries:
        trace_id = entry["trace_id"]
        if trace_id in order:
            of_user = found.setdefault(entry["annotator"], {})
            of_user.setdefault(trace_id, {})[entry["scheme"]] = _answer(entry, order[trace_id])
    return found


def _answer(entry: Json, order: Sequence[str]) -> Json:
    """Return an entry as Potato stores it; where a step moved, it is where it stands now."""
    if "score" not in entry and entry.get("value"):
        whole = {k: v for k, v in entry["value"].items() if k not in MARK_FIELDS}
        decisive = whole.get("decisive_step")
        return {**whole, "decisive_step": order.index(decisive)} if decisive in order else whole
    kept = [step for step in entry["steps"] if step.get("state") in ("valid", "moved", None)]
    marks = {step.get("stands_at") or step["step_id"]: read_mark(step, _OURS) for step in kept}
    is_complete = bool(entry.get("score_complete"))
    return write_answer(marks, order, Score(entry.get("score") or 0, is_complete, 0, 0))


_OURS = frozenset({"revision", "at", "state", "version", "stands_at", "reason"})


def _entry(said: Json, order: Sequence[str] | None) -> Json:
    """Return what a file says of one item as an entry of ours."""
    answer = said["answer"]
    entry: Json = {
        "trace_id": said["item"],
        "scheme": said["scheme"],
        "annotator": said["annotator"],
    }
    if not isinstance(answer.get("steps"), list):
        decisive = answer.get("decisive_step")
        if order and isinstance(decisive, int) and 0 <= decisive < len(order):
            answer = {**answer, "decisive_step": order[decisive]}
        return {**entry, "value": answer}
    steps = [{**step, "step_index": at} for at, step in read_steps(answer)]
    if order and all(0 <= step["step_index"] < len(order) for step in steps):
        steps = [{**step, "step_id": order[step["step_index"]]} for step in steps]
    rest = {key: value for key, value in answer.items() if key not in _OF_ANSWER}
    whole = {"value": rest} if rest else {}
    return {**entry, "n_steps": len(answer["steps"]), "steps": steps, **whole}


def _beside(path: Path) -> Path | None:
    folder = path if path.is_dir() else path.parent
    places = (place / ITEMS_FILE for place in (folder, *list(folder.parents)[:2]))
    return next((place for place in places if place.is_file()), None)


def _read_items(file: Path | None) -> Mapping[str, Sequence[str]]:
    """Return the ids of the steps of each item, of items that have them all."""
    if file is None:
        return {}
    text = file.read_bytes()
    items = orjson.loads(text) if text.lstrip()[:1] == b"[" else _lines(text)
    found = {str(i["id"]): [s.get("step_id") for s in i.get("steps", ())] for i in items}
    return {item: steps for item, steps in found.items() if all(steps)}


def _lines(text: bytes) -> list[Json]:
    return [orjson.loads(line) for line in text.splitlines() if line.strip()]


def _as_folder(user: str) -> str:
    """Return a name as that of a folder, in which nothing leads elsewhere."""
    return user.replace("/", "_").replace("\\", "_").lstrip(".") or "_"


def _write(file: Path, content: object) -> None:
    file.write_bytes(orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n")
