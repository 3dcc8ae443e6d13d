"""Compares a run with the run read back from a format, and finds unexplained differences."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.document import Document
from spanloom.core.exchange.kept import FOLLOWING, MEMBERS
from spanloom.core.formats.imported import RECOMPUTED
from spanloom.core.formats.losses import Code
from spanloom.core.formats.turns import text_of
from spanloom.core.messages.texts import messages_in
from spanloom.core.values.attributes import decimal, json_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from spanloom.core.document import DocumentStep
    from spanloom.core.formats.losses import Loss

Json = dict[str, Any]
Facts = dict[str, str]
_ANEW = RECOMPUTED | {"dialects"}
"""Members of ``extraction`` that the reader determines: the format is the dialect."""
_HISTORY = "metadata.history"
_CALLS = {Code.CALL_UNPAIRED, Code.CALL_ID_MADE, Code.ARGS_NOT_OBJECT, Code.TOOL_RETRY_DROPPED}
_TEXTS = {Code.TEXTS_DROPPED, Code.HISTORY_REWRITTEN, Code.PARTS_DROPPED, Code.VALUE_TRUNCATED}
_WHOLE = {Code.AGENTS_SEPARATE, Code.GRAPH_FLATTENED, Code.TOOL_RETRY_DROPPED}
"""Codes that explain why a step is missing, or has another type."""
_RESULTS = {Code.ERROR_AS_TEXT}
_ALSO: Mapping[str, set[Code]] = {
    "input": _TEXTS | _CALLS,
    "output": _TEXTS | _CALLS | _RESULTS,
    "error": {Code.ERROR_AS_TEXT},
    "started_at": {Code.DURATION_UNKNOWN},
    "duration": {Code.DURATION_UNKNOWN},
    "metadata": _CALLS,
    "tokens": {Code.VALUE_TRUNCATED},
    "id": {Code.IDS_MADE},
    "name": {Code.CALL_UNPAIRED},
    "type": set(),
}
"""Further codes that explain why a member differs, by member."""


class Difference(NamedTuple):
    """A member of a run that was read back differently, or not at all."""

    where: str
    """``extraction``, or the id of a step."""
    member: str
    before: str
    after: str


def unexplained(before: Json, after: Json, losses: Iterable[Loss]) -> Iterator[Difference]:
    """Yield the differences of two documents that no loss explains."""
    told: defaultdict[str, set[Code]] = defaultdict(set)
    for loss in losses:
        told[loss.path].add(loss.code)
    yield from _of_the_run(before, after, told)
    yield from _of_the_steps(before, after, told)


def _of_the_run(before: Json, after: Json, told: Mapping[str, set[Code]]) -> Iterator[Difference]:
    ours, theirs = before["extraction"], after["extraction"]
    everywhere = set().union(*told.values())
    for name in sorted((ours.keys() | theirs.keys()) - _ANEW):
        lost, kept = ours.get(name), theirs.get(name)
        if name == "step_counts":
            lost, kept = ({k: v for k, v in x.items() if k != "other"} for x in (lost, kept))
        if isinstance(lost, list) and isinstance(kept, list):
            lost, kept = sorted(lost, key=str), sorted(kept, key=str)
        if (lost or None) == (kept or None) or _is_rounded(name, lost, kept, ours):
            continue
        if name == "metadata" and dict(lost or {}) == _without_source(kept or {}):
            continue
        if any(path.startswith(f"extraction.{name}") for path in told) or "extraction" in told:
            continue
        if name in FOLLOWING and not everywhere.isdisjoint(FOLLOWING[name]):
            continue
        yield Difference("extraction", name, f"{lost}", f"{kept}")


def _is_rounded(name: str, lost: Any, kept: Any, of: Json) -> bool:
    """Return whether a time differs only because times of steps are whole milliseconds."""
    calls = sum(of["step_counts"].values())
    return (
        name.endswith("_ms")
        and lost is not None
        and kept is not None
        and (abs(lost - kept) <= calls + 1)
    )


def _without_source(metadata: Json) -> Json:
    return {name: value for name, value in metadata.items() if name != "source_id"}


def _of_the_steps(before: Json, after: Json, told: Mapping[str, set[Code]]) -> Iterator[Difference]:
    view, came_back = Document(before), _CameBack(_steps(before), _steps(after))
    owners = {step.id: step.agent_id for step in view.steps}
    are_made = any(Code.IDS_MADE in codes for codes in told.values())
    earlier: defaultdict[str, set[Code]] = defaultdict(set)
    for id_, facts in came_back.ours.items():
        owner = owners.get(id_, "")
        codes = told.get(id_, set()) | told.get(owner, set()) & {Code.AGENTS_SEPARATE}
        if facts["type"] == _plain("model"):
            earlier[owner] |= codes & {Code.TEXTS_DROPPED}
        if codes & _WHOLE:
            continue
        if id_ not in came_back.theirs and not are_made:
            yield Difference(id_, "id", id_, "")
            continue
        for name, value in facts.items():
            # the input of a later model call repeats earlier losses
            is_known = codes & explaining(name) or (name == "input" and earlier[owner])
            if not is_known and (found := came_back.instead_of(id_, name, value)) is not None:
                yield Difference(id_, name, value, found)


class _CameBack:
    """Compares a run's steps with those read back; steps with new ids are compared as a whole."""

    def __init__(self, ours: Mapping[str, Facts], theirs: Mapping[str, Facts]) -> None:
        self.ours, self.theirs = ours, theirs
        self._pool = Counter(
            _key(facts, name, value)
            for id_, facts in theirs.items()
            if id_ not in ours
            for name, value in facts.items()
        )
        texts = (facts.get(side, "") for facts in theirs.values() for side in ("input", "output"))
        self._heard = _messages(texts)

    def instead_of(self, id_: str, name: str, value: str) -> str | None:
        """Return the value that was read back instead of a member's; ``None`` if unchanged."""
        found, facts = self.theirs.get(id_), self.ours[id_]
        if found is not None:
            is_same = found.get(name) == value or _is_told(name, value, found)
            return None if is_same else found.get(name, "")
        key = _key(facts, name, value)
        if name == "parent_id" or self._pool[key]:
            self._pool[key] -= 1
            return None
        is_said = facts["type"] == _plain("model") and name in ("input", "output")
        return None if is_said and _messages([value]) <= self._heard else ""


def _key(facts: Facts, name: str, value: str) -> tuple[str, ...]:
    """Return the key by which a member is found in steps with new ids; a root may be an agent."""
    return (name, value) if name in ("input", "output") else (facts["type"], name, value)


def _messages(texts: Iterable[str]) -> set[str]:
    """Return the messages in texts, without their roles; tool calls are unchanged."""
    said: set[str] = set()
    for text in texts:
        value = json.loads(text) if text else []
        listed = isinstance(value, list) and all(_is_message(one) for one in value)
        for one in value if listed else [value]:
            known: Any = one if _is_message(one) else {"content": one}
            said |= {json.dumps(content)} if (content := known.get("content")) else set()
            said |= {json.dumps(call.get("function")) for call in known.get("tool_calls") or ()}
    return said


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and not {"role", "thoughts"}.isdisjoint(value)


def explaining(name: str) -> set[Code]:
    """Return the codes that explain a different value of a step's member."""
    member = name.partition(".")[0]
    known = {MEMBERS[member].code} if member in MEMBERS else {Code.METADATA_DROPPED}
    return known | _ALSO.get(member, set())


def _is_told(name: str, value: str, found: Facts) -> bool:
    """Return whether an input was read back as only its new messages, all of them part of it."""
    if name != "input" or found.get(_HISTORY) != _plain("omitted"):
        return False
    texts = (json.dumps(messages_in(text, "user")) for text in (value, found.get("input", "[]")))
    whole, new = ([(m["role"], m.get("content")) for m in json.loads(text)] for text in texts)
    return all(one in whole for one in new)


def _steps(document: Json) -> Mapping[str, Facts]:
    view = Document(document)
    root = view.root
    steps = dict(view.by_id())
    types = {step.id: step.type for step in view.steps} | {root.id: root.type}
    return {id_: _facts(step, types.get(id_, step.type), root.id) for id_, step in steps.items()}


def _facts(step: DocumentStep, type_: str, root_id: str) -> Facts:
    started, ended = step.times
    facts: dict[str, object] = {
        "type": type_,
        "parent_id": "" if step.id == root_id else step.parent_id or root_id,
        "name": step.name,
        "input": step.input,
        "output": step.output,
        "started_at": started,
        "duration": ended - started,
        "latency_first_resp": step.model_info.get("latency_first_resp"),
    }
    if step.error:
        facts |= {f"error.{name}": value for name, value in step.error.items()}
    if type_ == "model":
        for side in ("input", "output"):
            facts[side], facts[f"others.{side}"] = _split(getattr(step, side))
        facts["output"] = _joined(step.output)
    facts |= {f"metadata.{name}": value for name, value in step.metadata.items()}
    if (cost := decimal(str(step.metadata.get("cost", "")))) is not None:
        facts["metadata.cost"] = cost
    if type_ != "model":
        facts.pop("metadata.cost", None)  # the sum of the steps below
    facts |= {f"tokens.{k}": v for k, v in step.model_info.items() if k != "latency_first_resp"}
    return {name: _plain(value) for name, value in facts.items() if value not in (None, "", 0)}


def _split(text: str) -> tuple[str, str]:
    """Return the messages of a text with the members that all formats have, and other members."""
    value: Any = json_value(text)
    if not isinstance(value, list) or not all(isinstance(m, dict) and "role" in m for m in value):
        return text, ""
    value = [_with_plain_role(m) for m in value]
    known = [{k: v for k, v in m.items() if _is_known(k, m)} for m in value]
    others = [{k: v for k, v in m.items() if not _is_known(k, m)} for m in value]
    return json.dumps(known), json.dumps(others) if any(others) else ""


def _joined(text: str) -> str:
    """Return the messages of an answer as one message: texts joined by lines, all tool calls."""
    known: Any = json_value(_split(text)[0])
    if not isinstance(known, list) or not known or not isinstance(known[0], dict):
        return text
    if "role" not in known[0]:
        return text
    texts = [text for m in known if (text := text_of(m.get("content")))]
    calls = [call for m in known for call in m.get("tool_calls") or ()]
    thoughts = [t for m in known if (t := m.get("reasoning_content"))]
    if not any((texts, calls, thoughts)):
        return ""
    return json.dumps({"content": "\n".join(texts), "tool_calls": calls, "thoughts": thoughts})


def _is_known(name: str, message: Json) -> bool:
    of_role = {"assistant": _OF_ANSWERS, "tool": _OF_RESULTS}.get(message["role"], _OF_ALL)
    return name in of_role


def _with_plain_role(message: Json) -> Json:
    """Return a message with a role that all formats have.

    ``own`` is the original, texts are joined.
    """
    role, content = message["role"], message.get("content")
    parts = content if isinstance(content, list) else []
    if parts and all(isinstance(p, dict) and p.get("type") == "text" for p in parts):
        message = {**message, "content": text_of(parts)}
    if role in ("system", "user", "assistant", "tool"):
        return message
    return {**message, "role": "system" if role == "developer" else "assistant", "own": role}


_OF_ALL = {"role", "content"}
_OF_ANSWERS = _OF_ALL | {"tool_calls", "reasoning_content"}
_OF_RESULTS = _OF_ALL | {"tool_call_id", "name", "status"}


def _plain(value: object) -> str:
    """Return a value as text that is equal for equivalent JSON."""
    if not isinstance(value, str):
        return str(value)
    return json.dumps(_parsed(value), sort_keys=True)


def _parsed(value: Any) -> Any:  # any JSON value
    """Return a value in which JSON texts are parsed, at any depth."""
    if isinstance(value, str):
        inner = json_value(value)
        if isinstance(inner, dict | list):
            return _parsed(inner)
        return value
    if isinstance(value, list):
        return [_parsed(one) for one in value]
    return {k: _parsed(one) for k, one in value.items()} if isinstance(value, dict) else value
