"""Reads members of the steps, tool calls and results in an ATIF trajectory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.exchange.atif.conventions import RAW
from spanloom.core.exchange.atif.steps import ms_of
from spanloom.core.exchange.times import filled
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.readers import a_list, an_object
from spanloom.core.formats.turns import text_of
from spanloom.core.model.step import NO_CODE, StepError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.formats.json_bytes import Json


def step_times(steps: Sequence[Any], start: int) -> Sequence[int]:
    """Return the start of each step, then the end of the last step, in ms since the epoch."""
    known = [ms_of(step.get("timestamp")) if isinstance(step, dict) else None for step in steps]
    times = filled(known, start)
    return [*times, times[-1]] if times else [start, start]


def extra_of(value: Json) -> Json:
    """Return the ``extra`` of an object; empty if it has none."""
    extra = value.get("extra")
    return extra if isinstance(extra, dict) else {}


def name_in(extra: Json, otherwise: str) -> str:
    """Return the step's name in ``extra``; ``otherwise`` if it has none."""
    name = extra.get("name")
    return name if isinstance(name, str) else otherwise


def error_of(extra: Json, content: str) -> StepError | None:
    """Return the error in ``extra``, if any; its message is in ``extra`` or the content."""
    if extra.get("is_error") is not True:
        return None
    code, message = extra.get("error_code"), extra.get("error_message", content)
    if not isinstance(code, int) or isinstance(code, bool) or abs(code) >= 2**63:
        code = NO_CODE
    return StepError(code, message if isinstance(message, str) else "")


def function_name(call: Json | None) -> str:
    """Return the name of the called function; empty if unknown."""
    name = call.get("function_name") if call else None
    return name if isinstance(name, str) else ""


def _arguments_text(call: Json) -> str:
    """Return a call's arguments as text; unwrap arguments that were not an object (``RAW``)."""
    arguments = call.get("arguments")
    if isinstance(arguments, dict) and arguments.keys() == {RAW}:
        return str(arguments[RAW])
    return arguments if isinstance(arguments, str) else dump(arguments or {}).decode()


def message_call(call: Json) -> Json:
    """Return a call in the form of chat messages."""
    named = {"name": function_name(call), "arguments": _arguments_text(call)}
    return {"id": str(call.get("tool_call_id")), "type": "function", "function": named}


def tool_input(call: Json | None, *, called: bool) -> str:
    """Return the input of a tool; if no model called it, a single text argument is unwrapped."""
    if call is None:
        return ""
    arguments = call.get("arguments")
    if not called and isinstance(arguments, dict) and arguments.keys() == {"input"}:
        only = arguments["input"]
        return only if isinstance(only, str) else dump(arguments).decode()
    return _arguments_text(call)


def results_of(step: Json, where: str) -> Iterator[Json]:
    """Yield the results in the observation of a step."""
    observation = step.get("observation")
    if observation is None:
        return
    place = f"{where}.observation"
    results = a_list(an_object(observation, place).get("results"), f"{place}.results")
    for at, result in enumerate(results):
        yield an_object(result, f"{place}.results.{at}")


def references_in(result: Json, where: str) -> Sequence[str]:
    """Return the ids of the subagents' trajectories to which a result refers."""
    raw = result.get("subagent_trajectory_ref") or []
    listed = raw if isinstance(raw, list) else [raw]  # before 1.7 it may be a single object
    found = (an_object(one, f"{where}.subagent_trajectory_ref") for one in listed)
    return [one["trajectory_id"] for one in found if isinstance(one.get("trajectory_id"), str)]


def chat_content(value: object, where: str) -> Any:  # a text or parts
    """Return the content of a message, with images and audio in the form of chat messages."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    parts = [an_object(p, f"{where}.{at}") for at, p in enumerate(a_list(value, where))]
    return [_part(part) for part in parts]


def _part(part: Json) -> Json:
    source = part.get("source")
    if part.get("type") == "image" and isinstance(source, dict):
        return {"type": "image_url", "image_url": {"url": str(source.get("path", ""))}}
    if part.get("type") == "text":
        return {"type": "text", "text": str(part.get("text", ""))}
    return part


def text_in(value: object, where: str) -> str:
    """Return the content of a result as text: texts joined, other parts as JSON."""
    content = chat_content(value, where)
    if isinstance(content, str):
        return content
    are_texts = all(part.get("type") == "text" for part in content)
    return text_of(content) if are_texts else dump(content).decode()
