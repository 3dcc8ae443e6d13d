"""Corrected outputs as training examples, for supervised tuning or preferences."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from spanloom.core.messages.texts import messages_in

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Sequence


if TYPE_CHECKING:
    Json = dict[str, Any]  # as JSON gives and takes it


class Fate(StrEnum):
    """What became of a correction."""

    WRITTEN = "written"
    UNEDITED = "unedited"
    """It says what was there."""
    CHANGED = "changed"
    """Its step, or the text that it corrects, says something else now."""
    ORPHANED = "orphaned"
    """Its step has gone."""
    NO_ANSWER = "no_answer"
    """It is not of what a model answered: of an input, or of what a tool returned."""
    UNREADABLE = "unreadable"
    """It has no texts ``original`` and ``edited``, or its part names no place."""


_GONE = Fate.CHANGED, None


def apply(
    step: Json, messages: Sequence[Json], text: str, one: object
) -> tuple[Fate, Sequence[Json] | None]:
    """Return the messages with one correction, and what became of it."""
    if (why_not := _refused(step, one)) or not isinstance(one, dict):
        return why_not or Fate.UNREADABLE, None
    if not one.get("part"):
        is_there = one["original"] == text
        return (Fate.WRITTEN, as_messages(one["edited"], "assistant")) if is_there else _GONE
    copied = orjson.loads(orjson.dumps(messages))
    *path, last = str(one["part"]).split(".")
    holder = _at(copied, path)
    here = _at(holder, [last])
    if here != one["original"]:
        return _GONE if isinstance(here, str) else (Fate.UNREADABLE, None)
    holder[int(last) if isinstance(holder, list) else last] = one["edited"]
    return Fate.WRITTEN, copied


def _refused(step: Json, one: object) -> Fate | None:
    """Return why a correction is none of an answer, whatever the answer says."""
    if not isinstance(one, dict) or not _is_text(one, "original") or not _is_text(one, "edited"):
        return Fate.UNREADABLE
    if step.get("type") != "model" or one.get("field") != "output":
        return Fate.NO_ANSWER
    return Fate.UNEDITED if one["original"] == one["edited"] else None


def _at(value: Any, path: Sequence[str]) -> Any:  # any JSON value
    """Return what stands at a path; ``None`` if nothing does."""
    for key in path:
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and key.isascii() and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value


def as_messages(text: str, role: str) -> list[Json]:
    """Return the messages that a text holds, at least one: itself, said by a role."""
    return messages_in(text, role) or [{"role": role, "content": text}]


def _is_text(one: Json, name: str) -> bool:
    return isinstance(one.get(name), str)


COUNTING = ("valid", "moved", "whole")


class Example(NamedTuple):
    """One corrected answer, and all messages before it."""

    prompt: Sequence[Json]
    chosen: Sequence[Json]
    rejected: Sequence[Json]
    about: Json
    """Whose it is, and of which step."""

    def as_sft(self) -> Json:
        """Return ``{messages, …}``: the prompt and the answer as it was corrected."""
        return {"messages": [*self.prompt, *self.chosen], **self.about}

    def as_dpo(self) -> Json:
        """Return ``{prompt, chosen, rejected, …}``: the corrected answer and the original."""
        return {
            "prompt": self.prompt,
            "chosen": self.chosen,
            "rejected": self.rejected,
            **self.about,
        }


def examples_of(document: Json | None, entry: Json, fates: Counter[str]) -> Iterator[Example]:
    """Yield the examples of an exported entry; counts in ``fates`` what became of corrections.

    ``document`` is the run as it is now, ``None`` if it is not stored any more.
    """
    steps = _steps(document)
    for step_id, state, wanted in _corrected(entry):
        if state not in COUNTING or step_id not in steps:
            lost = Fate.CHANGED if state == "changed" else Fate.ORPHANED
            fates[lost] += len(wanted)
        elif (example := _example(steps[step_id], wanted, fates)) is not None:
            names = ("trace_id", "scheme", "annotator")
            about = {**{name: entry[name] for name in names}, "step_id": step_id}
            yield example._replace(about={**about, **example.about})


def _corrected(entry: Json) -> Iterator[tuple[str, str, list[Any]]]:
    """Yield the steps of an entry that have corrections: where they stand now, and the state."""
    for step in entry.get("steps", ()):
        if found := _listed(step.get("value")):
            yield step.get("stands_at") or step["step_id"], step.get("state", ""), found
    of_whole: dict[str, list[Any]] = {}
    for one in _listed(entry.get("value")):
        step_id = one.get("step_id") if isinstance(one, dict) else None
        of_whole.setdefault(str(step_id or ""), []).append(one)
    for step_id, found in of_whole.items():
        yield step_id, "whole", found


def _example(step: Json, wanted: Sequence[Any], fates: Counter[str]) -> Example | None:
    """Return the answer of a step with all its corrections; ``None`` if none of them applies."""
    text = step.get("output", "")
    rejected = as_messages(text, "assistant")
    chosen: Sequence[Json] = rejected
    reasons = []
    for one in wanted:
        fate, result = apply(step, chosen, text, one)
        fates[fate] += 1
        if result is not None:
            chosen = result
            reasons.append(one.get("reason"))
    if not reasons:
        return None
    said = [reason for reason in reasons if isinstance(reason, str) and reason]
    about = {"reason": "\n".join(said)} if said else {}
    return Example(as_messages(step.get("input", ""), "user"), chosen, rejected, about)


def _steps(document: Json | None) -> dict[str, Json]:
    agents = document.get("agent_steps", ()) if document else ()
    return {step["id"]: step for agent in agents for step in agent.get("steps", ())}


def _listed(value: object) -> list[Any]:
    found = value.get("corrections") if isinstance(value, dict) else None
    return found if isinstance(found, list) else []
