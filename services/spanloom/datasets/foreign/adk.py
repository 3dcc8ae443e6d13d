"""Converts evaluation sets of Google's ADK to items: one for each turn of each case.

The input of a later turn is the conversation up to it, as messages, because a run answers one turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.errors import InvalidRequestError
from spanloom.core.formats.readers import a_list, a_text, an_object
from spanloom.datasets.foreign.row import Draft, each_alone, is_present, key_of, others, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.formats.json_bytes import Json
    from spanloom.datasets.foreign.row import Items

_CASES, _SET_ID, _CASE_ID, _TURNS = "eval_cases", "eval_set_id", "eval_id", "conversation"
_BETWEEN, _EVENTS = "intermediate_data", "invocation_events"
_PLAIN = {
    "evalSetId": _SET_ID,
    "evalCases": _CASES,
    "evalId": _CASE_ID,
    "sessionInput": "session_input",
    "userContent": "user_content",
    "finalResponse": "final_response",
    "intermediateData": _BETWEEN,
    "toolUses": "tool_uses",
    "invocationEvents": _EVENTS,
    "functionCall": "function_call",
}
"""Snake-case names, keyed by the camel-case aliases in ADK; most files use snake case."""


def fits(value: Any) -> bool:  # any JSON value
    """Return whether a value is an evaluation set of ADK."""
    return isinstance(value, dict) and isinstance(_plain(value).get(_CASES), list)


def read(value: Any) -> Items:  # any JSON value
    """Yield the items of an evaluation set."""
    members = _plain(an_object(value, "the set"))
    cases = a_list(members.get(_CASES), _CASES)
    if not cases:
        raise InvalidRequestError(f"{_CASES}: the set has none")
    places = enumerate(cases)
    yield from each_alone(places, lambda case: _read_case(case[1], members, f"{_CASES}.{case[0]}"))


def _read_case(value: object, whole: Json, where: str) -> Items:
    case = _plain(an_object(value, where))
    turns = a_list(case.get(_TURNS), f"{where}.{_TURNS}")
    if not turns:
        raise InvalidRequestError(f"{where}.{_TURNS}: there is no turn")
    key, messages = key_of(case, _CASE_ID), list[Any]()
    about = {_SET_ID: whole[_SET_ID]} if is_present(whole.get(_SET_ID)) else {}
    about |= others(case, {_TURNS})
    for at, one in enumerate(turns):
        place = f"{where}.{_TURNS}.{at}"
        turn = _plain(an_object(one, place))
        question = _content(turn.get("user_content"), f"{place}.user_content")
        own = key if len(turns) == 1 else shortened(f"{key}/{at + 1}")
        messages.append({"role": "user", "content": question})
        draft = Draft(own, list(messages) if at else question, metadata=dict(about))
        draft.expected = _expected(turn, place)
        draft.metadata |= others(turn, {"user_content", "final_response", _BETWEEN})
        if "response" in draft.expected:
            messages.append({"role": "assistant", "content": draft.expected["response"]})
        yield draft.item()


def _expected(turn: Json, where: str) -> dict[str, Any]:  # JSON values
    expected: dict[str, Any] = {}
    if is_present(turn.get("final_response")):
        answer = _content(turn["final_response"], f"{where}.final_response")
        expected["response" if isinstance(answer, str) else "final_response"] = answer
    between = turn.get(_BETWEEN)
    if is_present(between):
        expected["tool_calls"] = list(_calls(_plain(an_object(between, _BETWEEN)), where))
    return expected


def _calls(between: Json, where: str) -> Iterator[Json]:
    """Yield the expected calls: the listed calls, and calls in events of a recorded turn."""
    uses = a_list(between.get("tool_uses") or [], f"{where}.{_BETWEEN}.tool_uses")
    for at, event in enumerate(a_list(between.get(_EVENTS) or [], f"{where}.{_BETWEEN}.{_EVENTS}")):
        place = f"{where}.{_BETWEEN}.{_EVENTS}.{at}"
        content = an_object(an_object(event, place).get("content") or {}, place)
        part_values = a_list(content.get("parts") or [], f"{place}.content.parts")
        parts = [_plain(an_object(part, f"{place}.content.parts")) for part in part_values]
        uses = [*uses, *(part["function_call"] for part in parts if part.get("function_call"))]
    for at, use in enumerate(uses):
        place = f"{where}.{_BETWEEN}.tool_uses.{at}"
        call = an_object(use, place)
        arguments = an_object(call.get("args") or {}, f"{place}.args")
        yield {"name": a_text(call.get("name"), f"{place}.name"), "arguments": arguments}


def _content(value: object, where: str) -> Any:  # any JSON value
    """Return the text of an ADK ``Content``, joined by line ends.

    A content that does not consist of texts is returned unchanged.
    """
    content = an_object(value, where)
    parts = a_list(content.get("parts") or [], f"{where}.parts")
    part_values = [an_object(part, f"{where}.parts.{at}") for at, part in enumerate(parts)]
    texts = [{name: one for name, one in part.items() if is_present(one)} for part in part_values]
    if any(part.keys() != {"text"} for part in texts if part):
        return content
    return "\n".join(str(part["text"]) for part in texts if part)


def _plain(value: Json) -> Json:
    return {_PLAIN.get(name, name): one for name, one in value.items()}
