"""Counts the members of a log that its runs do not preserve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.exchange.inspect.scores import OURS
from spanloom.core.exchange.unread import note_unread
from spanloom.core.formats.losses import Code

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses

_OF_A_LOG = frozenset({"version", "eval", "samples", "status", "results", "stats", "reductions"})
"""Members that the reader uses, or that can be derived from the samples."""
_OF_AN_EVAL = frozenset({"eval_id", "created", "task", "dataset", "model"})
_OF_A_DATASET = frozenset({"name", "samples", "sample_ids"})
_OF_A_SAMPLE = frozenset(
    {"id", "epoch", "input", "target", "messages", "output", "scores", "metadata", "events"}
    | {"started_at", "completed_at", "total_time", "working_time", "uuid", "error"}
    | {"model_usage", "role_usage"}
)
_OF_ALL = frozenset({"event", "timestamp", "working_start", "metadata", "uuid", "pending"})
_OF_A_SPAN = _OF_ALL | {"id", "span_id", "parent_id", "name", "type"}
_OF_A_CALL = _OF_ALL | {"span_id", "completed", "working_time", "error"}
_OF_EVENTS: Mapping[object, AbstractSet[str]] = {
    "span_begin": _OF_A_SPAN,
    "span_end": _OF_A_SPAN,
    "model": _OF_A_CALL | {"model", "input", "input_refs", "output"},
    "tool": _OF_A_CALL | {"type", "id", "function", "arguments", "result", "failed"},
}
_OF_AN_OUTPUT = frozenset({"model", "choices", "completion", "usage", "time", "error"})
_OF_A_CHOICE = frozenset({"message", "stop_reason"})
_OF_A_MESSAGE = frozenset({"role", "content", "tool_calls", "tool_call_id", "function", "error"})
_OF_AN_ERROR = frozenset({"message", "type"})
_USUAL = {"tool_choice": "auto"}
"""Default values, whose omission is no loss."""


def count_of_sample(log: Json, about: Json, sample: Json, losses: Losses) -> None:
    """Count the members of the log and the sample that the sample's run does not preserve."""
    note_unread(log, _OF_A_LOG, losses, "log")
    note_unread(about, _OF_AN_EVAL, losses, "log.eval")
    note_unread(about.get("dataset"), _OF_A_DATASET, losses, "log.eval.dataset")
    note_unread(sample, _OF_A_SAMPLE, losses)
    note_unread(sample.get("error"), _OF_AN_ERROR, losses, "error")
    metadata = sample.get("metadata")
    if isinstance(metadata, dict) and OURS in metadata:
        note_unread(metadata, {OURS}, losses, "metadata")


def count_of_event(event: Json, where: str, losses: Losses) -> None:
    """Count the members of an event that its step does not preserve."""
    unusual = {name: value for name, value in event.items() if _USUAL.get(name) != value}
    note_unread(unusual, _OF_EVENTS[event.get("event")], losses, where)
    note_unread(event.get("metadata"), {OURS}, losses, f"{where}.metadata")
    note_unread(event.get("error"), _OF_AN_ERROR, losses, f"{where}.error")
    if event.get("event") == "model":
        count_of_messages(event.get("input"), f"{where}.input", losses)
        _count_of_output(event.get("output"), f"{where}.output", losses)


def count_of_messages(messages: object, where: str, losses: Losses) -> None:
    """Count the messages that have members which the reader does not use."""
    found = messages if isinstance(messages, list) else ()
    odd = sum(1 for one in found if isinstance(one, dict) and _has_more(one))
    losses.note(Code.METADATA_DROPPED, where, odd)


def _count_of_output(output: object, where: str, losses: Losses) -> None:
    note_unread(output, _OF_AN_OUTPUT, losses, where)
    choices = output.get("choices") if isinstance(output, dict) else None
    known = [one for one in choices if isinstance(one, dict)] if isinstance(choices, list) else []
    for at, choice in enumerate(known):
        note_unread(choice, _OF_A_CHOICE, losses, f"{where}.choices.{at}")
    messages = [choice.get("message") for choice in known]
    count_of_messages(messages, f"{where}.choices", losses)


def _has_more(message: Json) -> bool:
    return any(message[name] not in (None, "", [], {}) for name in message.keys() - _OF_A_MESSAGE)
