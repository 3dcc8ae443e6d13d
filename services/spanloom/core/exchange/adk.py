"""Reads evaluation sets in the format of Google's ADK; each case becomes a run.

``{"eval_set_id", "eval_cases": [{"eval_id", "conversation": [{"user_content", "final_response",
"intermediate_data": {"tool_uses", "tool_responses"}}]}]}``; contents are ``{"role", "parts"}``. A
case is the conversation that is expected; no agent has executed it. Exported to another system, it
becomes an item of a dataset.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.drafts import complete
from spanloom.core.exchange.ids import trace_id_of
from spanloom.core.exchange.messages.reading import AGENT, Source, draft_of_messages
from spanloom.core.exchange.unread import note_unread
from spanloom.core.formats.json_bytes import dump, sorted_keys
from spanloom.core.formats.losses import Code
from spanloom.core.formats.readers import Refused, a_list, an_object, read_alone

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.readers import Located, Reading, Taken

_CASES, _ID, _SET = "eval_cases", "eval_id", "eval_set_id"
_OF_A_CASE = frozenset({_ID, "conversation", "session_input"})
_OF_A_TURN = frozenset({"user_content", "intermediate_data", "final_response"})
_BETWEEN = frozenset({"tool_uses", "tool_responses"})


class Reader:
    """Reads evaluation sets; each case is a separate run."""

    def fits(self, value: Any) -> bool:  # any JSON value
        """Return whether a value is an evaluation set."""
        return isinstance(value, dict) and isinstance(value.get(_CASES), list)

    def holds(self, first: Any) -> bool:  # any JSON value
        """Return ``False``, because a list is never a single record of this format."""
        return self.fits([first])

    def read(self, values: Iterable[Located], reading: Reading) -> Iterator[Taken | Refused]:
        """Yield a run for each case; an invalid case is rejected, and the other cases are read."""
        for place, value in values:
            try:
                whole = an_object(value, "the set")
                cases = a_list(whole.get(_CASES), _CASES)
            except InvalidRequestError as error:
                yield Refused(place, str(error))
                continue
            if not cases:
                yield Refused(place, f"{_CASES}: the set has none")
            for at, case in enumerate(cases):
                where = place if len(cases) == 1 else f"{place}: case {at + 1}"
                yield from read_alone(where, (whole, case), _read_case, reading)


def _read_case(set_and_case: tuple[Json, Any], reading: Reading) -> Iterable[Json]:
    whole, value = set_and_case
    of_set = whole.get(_SET)
    case = an_object(value, "the case")
    own = case.get(_ID)
    if not isinstance(own, str) or not own:
        reading.losses.note(Code.IDS_MADE, _ID)
        own = dump(sorted_keys(case)).decode()
    set_id = of_set if isinstance(of_set, str) else ""
    trace_id = trace_id_of(reading.format, reading.project, f"{set_id}\0{own}")
    messages: list[Json] = []
    for at, turn in enumerate(a_list(case.get("conversation"), "conversation")):
        messages += _turn(an_object(turn, f"conversation.{at}"), f"conversation.{at}", reading)
    note_unread(whole, {_SET, _CASES}, reading.losses, "set")
    note_unread(case, _OF_A_CASE, reading.losses)
    session = an_object(case.get("session_input") or {}, "session_input")
    note_unread(session, {"app_name"}, reading.losses, "session_input")
    app = session.get("app_name")
    about = {_SET: set_id, _ID: case.get(_ID)}
    metadata = {name: text for name, text in about.items() if isinstance(text, str) and text}
    source = Source(
        trace_id=trace_id,
        name=app if isinstance(app, str) and app else AGENT,
        extras={"metadata": metadata} if metadata else {},
        where="conversation",
    )
    yield complete(draft_of_messages(messages, reading, source))


def _turn(turn: Json, where: str, reading: Reading) -> Iterator[Json]:
    """Yield one turn as messages: the request, the expected calls, their results, the answer."""
    yield {
        "role": "user",
        "content": _text(turn.get("user_content"), f"{where}.user_content", reading),
    }
    between = an_object(turn.get("intermediate_data") or {}, f"{where}.intermediate_data")
    note_unread(turn, _OF_A_TURN, reading.losses, where)
    note_unread(between, _BETWEEN, reading.losses, f"{where}.intermediate_data")
    uses = a_list(between.get("tool_uses") or [], f"{where}.intermediate_data.tool_uses")
    calls = [_call(use, f"{where}.intermediate_data.tool_uses.{n}") for n, use in enumerate(uses)]
    if calls:
        yield {"role": "assistant", "content": "", "tool_calls": calls}
    responses = a_list(
        between.get("tool_responses") or [], f"{where}.intermediate_data.tool_responses"
    )
    for n, value in enumerate(responses):
        response = an_object(value, f"{where}.intermediate_data.tool_responses.{n}")
        result = response.get("response")
        text = result if isinstance(result, str) else dump(result or {}).decode()
        yield {"role": "tool", "content": text, **_named(response)}
    if turn.get("final_response") is not None:
        text = _text(turn["final_response"], f"{where}.final_response", reading)
        yield {"role": "assistant", "content": text}


def _call(value: object, where: str) -> Json:
    use = an_object(value, where)
    name = use.get("name")
    arguments = dump(an_object(use.get("args") or {}, f"{where}.args")).decode()
    function = {"name": name if isinstance(name, str) else "", "arguments": arguments}
    own = {"id": use["id"]} if isinstance(use.get("id"), str) else {}
    return {**own, "type": "function", "function": function}


def _named(response: Json) -> Json:
    names = {"tool_call_id": response.get("id"), "name": response.get("name")}
    return {name: text for name, text in names.items() if isinstance(text, str)}


def _text(value: object, where: str, reading: Reading) -> str:
    """Return the text parts of a content, joined by line breaks; drop and count other parts."""
    content = an_object(value, where)
    parts = a_list(content.get("parts") or [], f"{where}.parts")
    found = [an_object(part, f"{where}.parts.{n}").get("text") for n, part in enumerate(parts)]
    texts = [text for text in found if isinstance(text, str)]
    reading.losses.note(Code.PARTS_DROPPED, where, len(found) - len(texts))
    return "\n".join(texts)


READER = Reader()
