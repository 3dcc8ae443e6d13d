"""What annotators corrected, as examples to train on: of supervised tuning, and of preference.

A correction is ``{field, part?, original, edited, reason?}``; ``part`` is a path into messages,
such as ``0.content``. Those of one step by one annotator make one example.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.annotation.edited_text import Fate, apply, as_messages
from spanloom.core.document import Document

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Sequence

    Json = dict[str, Any]  # as JSON gives and takes it

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
    return {step.id: step.json for step in Document(document or {}).steps}


def _listed(value: object) -> list[Any]:
    found = value.get("corrections") if isinstance(value, dict) else None
    return found if isinstance(found, list) else []
