"""Reads a span of an MLflow trace as a step.

A span that Spanloom wrote becomes the original step again. For any other span, the span type
determines the kind of step, and MLflow's attributes the other members. Requests and responses of
model calls become messages, whatever the client library; other attributes become metadata.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.conventions.usage import read_payload
from spanloom.core.exchange.drafts import STEP_KINDS, DraftStep, usage_of
from spanloom.core.exchange.mlflow import names
from spanloom.core.exchange.mlflow.texts import read_back
from spanloom.core.exchange.mlflow.values import nanoseconds, sound, text_of
from spanloom.core.formats.losses import Code
from spanloom.core.formats.readers import a_list, a_text, an_object
from spanloom.core.messages.steps import show_texts
from spanloom.core.model.span import Facts
from spanloom.core.model.step import NO_CODE, StepError, Usage
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import json_object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses

_NS_PER_MS = 1_000_000
_STARTS, _ENDS = ("start_time_unix_nano", "start_time"), ("end_time_unix_nano", "end_time")
_FAILED = frozenset({"STATUS_CODE_ERROR", "ERROR"})
_COUNTS = ("input_tokens", "output_tokens", "", "cache_read_input_tokens")
_TAKEN = frozenset(
    {
        *(names.REQUEST_ID, names.SPAN_TYPE, names.INPUTS, names.OUTPUTS, names.STEP, names.RUN),
        *(names.USAGE, names.MODEL, names.PROVIDER, names.COST),
    }
)
_DIGITS = 18
"""Maximum digits of a time in ms, so that it always fits into 64 bits."""
_CHUNKS = (names.CHUNK, "new_token")
_EXCEPTION = "exception"
_AROUND_MESSAGES = frozenset({"messages", "choices", "tools", "usage", "model", "object"})
"""Members of a model's request or response that the step has elsewhere, or does not need."""


class SpanReader:
    """Reads one span; ``place`` is its path in the trace."""

    def __init__(self, span: Json, place: str, losses: Losses) -> None:
        """Check the required members of the span.

        Raises ``InvalidRequestError`` with the path of the fault.
        """
        self.place = place
        self.losses = losses
        self._span = span
        self.attributes = an_object(span.get("attributes") or {}, f"{place}.attributes")
        self._events = [
            an_object(event, f"{place}.events.{at}")
            for at, event in enumerate(a_list(span.get("events") or [], f"{place}.events"))
        ]

    def step(self, step_id: str, parent_id: str) -> DraftStep:
        """Return the step; an empty ``parent_id`` means the root.

        Raises ``InvalidRequestError`` with the path of the fault.
        """
        start, end = self._times()
        step = DraftStep(
            step_id,
            parent_id,
            Kind.OTHER,
            self._text_in(self._span, "name"),
            start_ms=start // _NS_PER_MS,
            duration_ms=max(0, end - start) // _NS_PER_MS,
        )
        ours = json_object(self._attribute(names.STEP))
        if "type" in ours:
            self._take_back(step, ours)
        else:
            self._take(step, start)
        step.error = self._error(ours.get("error_code"))
        return step

    def _times(self) -> tuple[int, int]:
        key = next((name for name in _STARTS if name in self._span), _STARTS[0])
        start = nanoseconds(self._span.get(key), f"{self.place}.{key}")
        key = next((name for name in _ENDS if self._span.get(name)), "")
        if not key:
            self.losses.note(Code.DURATION_UNKNOWN, f"{self.place}.{_ENDS[0]}")
            return start, start
        return start, nanoseconds(self._span[key], f"{self.place}.{key}")

    def _text_in(self, values: Mapping[str, Any], name: str) -> str:
        where = f"{self.place}.{name}"
        return sound(a_text(values.get(name, ""), where), where, self.losses)

    def _attribute(self, name: str) -> str:
        where = f"{self.place}.attributes.{name}"
        return text_of(self.attributes.get(name), where, self.losses)

    def _error(self, code: object) -> StepError | None:
        """Return the error from the status, with type and stack trace from the exception event.

        If there is a ``code``, which only Spanloom writes, the status has the complete message.
        """
        status = self._span.get("status")
        fields: Json = status if isinstance(status, dict) else {}
        failed = fields.get("code") or self._span.get("status_code")
        if str(failed) not in _FAILED:
            return None
        message = fields.get("message") or self._span.get("status_message")
        event = next((e for e in self._events if e.get("name") == _EXCEPTION), {})
        about = an_object(event.get("attributes") or {}, f"{self.place}.events")
        kind, text, trace = (
            self._plain(about.get(f"exception.{name}"))
            for name in ("type", "message", "stacktrace")
        )
        is_code = isinstance(code, int) and not isinstance(code, bool) and abs(code) < 2**63
        number = code if is_code and isinstance(code, int) else NO_CODE
        fallback = "" if code is not None else text or kind
        return StepError(number, self._plain(message) or fallback, kind, trace)

    def _plain(self, value: object) -> str:
        text = value if isinstance(value, str) else ""
        return sound(text, f"{self.place}.events", self.losses)

    def _take_back(self, step: DraftStep, ours: Json) -> None:
        """Restore the step from a span that Spanloom wrote."""
        step.kind = STEP_KINDS.get(str(ours["type"]), Kind.OTHER)
        step.input = self._back(names.INPUTS, ours.get("input"))
        step.output = self._back(names.OUTPUTS, ours.get("output"))
        metadata = ours.get("metadata")
        known = metadata if isinstance(metadata, dict) else {}
        step.metadata = {name: text for name, text in known.items() if isinstance(text, str)}
        if step.kind is Kind.MODEL:
            self._take_model(step)
            first = ours.get("first_token_ms")
            if isinstance(first, str) and first.isascii() and first.isdecimal():
                step.first_token_ms = float(first[:_DIGITS])
            reasoning = usage_of([0, 0, ours.get("reasoning_tokens")])
            step.usage = (step.usage or Usage()).completed_by(reasoning)

    def _back(self, name: str, kept: object) -> str:
        return sound(
            read_back(self.attributes.get(name), kept), f"{self.place}.{name}", self.losses
        )

    def _take(self, step: DraftStep, start: int) -> None:
        """Set the members of a step from a span that MLflow wrote."""
        span_type = self._attribute(names.SPAN_TYPE).upper()
        is_untyped = not step.parent_id and span_type in ("", "NULL", names.UNKNOWN)
        step.kind = Kind.OTHER if is_untyped else names.KINDS.get(span_type, Kind.GRAPH)
        metadata = self._metadata()
        step.input, step.output = self._attribute(names.INPUTS), self._attribute(names.OUTPUTS)
        if step.kind is Kind.MODEL:
            self._take_model(step)
            step.usage = step.usage or self._usage_in(step.output)
            step.first_token_ms = self._first_token_ms(start)
            metadata |= self._cost() | self._provider()
        elif kind := names.KINDS_OF_TOOLS.get(span_type):
            metadata[names.TOOL_KIND] = kind
        if step.kind in (Kind.MODEL, Kind.TOOL):
            facts = Facts(input=step.input, output=step.output, metadata=metadata)
            show_texts(facts, step.kind)
            self._note_lost(step.input, facts.input, "inputs")
            self._note_lost(step.output, facts.output, "outputs")
            step.input, step.output, metadata = facts.input, facts.output, {**facts.metadata}
        step.metadata = metadata
        read = (*_CHUNKS, _EXCEPTION)
        ignored = [e for e in self._events if not str(e.get("name")).startswith(read)]
        if ignored or self._span.get("links"):
            self.losses.note(Code.METADATA_DROPPED, f"{self.place}.events")

    def _note_lost(self, before: str, after: str, name: str) -> None:
        """Count the members of a model's request or response other than its messages."""
        if before != after and json_object(before).keys() - _AROUND_MESSAGES:
            self.losses.note(Code.METADATA_DROPPED, f"{self.place}.{name}")

    def _metadata(self) -> dict[str, str]:
        texts = {name: self._attribute(name) for name in self.attributes if name not in _TAKEN}
        return {sound(name, self.place, self.losses): text for name, text in texts.items() if text}

    def _take_model(self, step: DraftStep) -> None:
        step.model = self._attribute(names.MODEL)
        counts = json_object(self._attribute(names.USAGE))
        keys = (*_COUNTS, "cache_creation_input_tokens")
        step.usage = usage_of(counts.get(key) for key in keys) if counts else None

    def _usage_in(self, output: str) -> Usage | None:
        """Return the usage in the response, if any; older MLflow versions record no other."""
        used = json_object(output).get("usage") if '"usage"' in output else None
        return read_payload(used) if isinstance(used, dict) else None

    def _cost(self) -> dict[str, str]:
        total = json_object(self._attribute(names.COST)).get("total_cost")
        if not isinstance(total, int | float) or isinstance(total, bool):
            return {}
        return {"cost": f"{total:.12f}".rstrip("0").rstrip("."), "cost_source": "sender"}

    def _provider(self) -> dict[str, str]:
        provider = self._attribute(names.PROVIDER)
        return {"provider": provider} if provider else {}

    def _first_token_ms(self, start: int) -> float | None:
        times = (
            event.get("time_unix_nano", event.get("timestamp"))
            for event in self._events
            if str(event.get("name")).startswith(_CHUNKS)
        )
        first = next(times, None)
        if not isinstance(first, int) or isinstance(first, bool) or not start <= first < 2**63:
            return None
        return (first - start) / _NS_PER_MS
