"""Writes the conversation of a run's root agent as plain chat messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from spanloom.core.conventions.listed_messages import HISTORY
from spanloom.core.exchange.kept import (
    ERROR_TEXT,
    FLATTENED,
    OF_THE_SENDER,
    Kept,
    KeptOfStep,
    count_lost,
)
from spanloom.core.extraction.metrics import COST
from spanloom.core.formats.conversation import conversation
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Code, NotHeldError
from spanloom.core.formats.turns import text_of
from spanloom.core.messages.steps import TOOL_DEFINITIONS
from spanloom.core.messages.texts import answer_in, question_in
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from spanloom.core.document import Document, DocumentAgent, DocumentStep
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses
    from spanloom.core.formats.stored import Stored
    from spanloom.core.formats.turns import Turn

A_TOOL = "tool"
"""The default name for a tool."""


SourcedMessage: TypeAlias = "tuple[Json, str]"
"""A message, and the id of the step from which it was taken."""


class Talk(NamedTuple):
    """The messages of one run, in order, as a chat transcript."""

    agent: DocumentAgent
    sourced: Sequence[SourcedMessage]

    @property
    def messages(self) -> Sequence[Json]:
        """The messages without their step ids."""
        return [message for message, _ in self.sourced]


def talk_of(stored: Stored, losses: Losses, kept: Kept) -> Talk:
    """Return the conversation of the root agent, or the question and the answer of the run.

    The root agent is the root, or otherwise the first agent with a conversation. Counts what the
    format does not preserve (``kept_by_messages``). Raises ``NotHeldError`` for a run without an
    agent.
    """
    document = stored.view
    agents = _root_first(document)
    if not agents:
        raise NotHeldError(Code.NO_AGENT, "it has no agent whose messages could be written")
    agent, turns = next(
        ((a, turns) for a in agents if (turns := conversation(a, losses))), (agents[0], ())
    )
    for other in agents:
        if other.id != agent.id:
            losses.note(Code.AGENTS_SEPARATE, other.id)
    count_lost(document, kept, losses)
    talk = Talk(agent, _plain(turns, losses) if turns else _gist(document.root))
    _note_root(document.root, talk.messages, losses)
    return talk


def talks_of(stored: Stored, losses: Losses, kept: Kept) -> Sequence[Talk]:
    """Return the conversation of each agent that has one; the root agent is first.

    If no agent has a conversation, return the question and the answer of the run. Counts what the
    format does not preserve; raises ``NotHeldError`` for a run without an agent.
    """
    document = stored.view
    agents = _root_first(document)
    if not agents:
        raise NotHeldError(Code.NO_AGENT, "it has no agent whose messages could be written")
    turns_of = {agent.id: turns for agent in agents if (turns := conversation(agent, losses))}
    count_lost(document, kept, losses)
    talks = [Talk(a, _plain(turns_of[a.id], losses)) for a in agents if a.id in turns_of]
    talks = talks or [Talk(agents[0], _gist(document.root))]
    _note_root(document.root, talks[0].messages, losses)
    for talk in talks[1:]:
        losses.note(Code.AGENTS_SEPARATE, talk.agent.id)
        _note_root(talk.agent, talk.messages, losses)
    known = {talk.agent.id for talk in talks}
    for agent in agents:
        losses.note(Code.AGENTS_SEPARATE, agent.id, agent.id not in known)
    return talks


def _note_root(root: DocumentStep, messages: Sequence[Json], losses: Losses) -> None:
    """Count input and output of the root if they are not in the conversation."""
    question = next((m["content"] for m in messages if m["role"] == "user"), "")
    answers = (
        m["content"] for m in reversed(messages) if m["role"] == "assistant" and m["content"]
    )
    if (root.input, root.output) != (text_of(question), next(answers, "")):
        losses.note(Code.TEXTS_DROPPED, root.id)


def kept_by_messages(
    run: Collection[str] = (), members: Collection[str] = (), of_models: Collection[str] = ()
) -> Kept:
    """Return the members of a run that a format with lists of messages preserves.

    In addition to the messages, these are: members of ``extraction`` (``run``), members of steps
    (``members``, names in ``kept.MEMBERS``), and metadata of model steps (``of_models``, keys).
    """
    agent = KeptOfStep({"input", "output", *({"name"} & set(members))}, {"agent_name", COST})
    texts = {"input", "output", *members} - {"name"}
    tool = KeptOfStep({*texts, "name", ERROR_TEXT}, {"tool_name", "tool_call_id"})
    model = KeptOfStep(texts, {HISTORY, *of_models})
    wrapper = KeptOfStep(agent.members, ())
    steps = {"agent": agent, "model": model, "tool": tool, "other": wrapper, "graph": FLATTENED}
    return Kept(run, steps)


def about_run(document: Document) -> Json:
    """Return ids, name, user and tags of a run as metadata, from which a reader restores them."""
    extraction = document.extraction
    named = {"trace_id": document.id, "name": document.root.name}
    return {**extraction.metadata, **named, **extraction.members(NAMED)}


NAMED = tuple(name for name in OF_THE_SENDER if name != "metadata")
"""Members of ``extraction``, other than ``metadata``, that are written as metadata."""


def _root_first(document: Document) -> Sequence[DocumentAgent]:
    root_id = document.root.id
    return sorted(document.agents, key=lambda agent: agent.id != root_id)


def _gist(root: DocumentStep) -> Sequence[SourcedMessage]:
    question = {"role": "user", "content": question_in(root.input)}
    answer = {"role": "assistant", "content": answer_in(root.output)}
    return [(question, root.id), (answer, root.id)]


def _plain(turns: Iterable[Turn], losses: Losses) -> Sequence[SourcedMessage]:
    """Return the messages of turns, reduced to the members of chat messages."""
    names: dict[str, str] = {}
    plain_turns: list[SourcedMessage] = []
    for message, step_id, _, arguments in turns:
        role = message["role"]
        if role == "assistant":
            plain = _answer(message, arguments)
            names.update((c["id"], c["function"]["name"]) for c in plain.get("tool_calls", ()))
        elif role == "tool":
            plain = _result(message, names, step_id, losses)
        else:
            plain = {"role": role, "content": _content(message["content"], step_id, losses)}
            if isinstance(name := message.get("name"), str) and name:
                plain["name"] = name
        plain_turns.append((plain, step_id))
    return plain_turns


def _answer(message: Json, arguments: Sequence[object]) -> Json:
    plain = {"role": "assistant", "content": message["content"]}
    if thoughts := message.get("reasoning_content"):
        plain["reasoning_content"] = thoughts
    if calls := message.get("tool_calls"):
        plain["tool_calls"] = list(map(_call, calls, arguments))
    return plain


def _call(call: Json, arguments: object) -> Json:
    """Return a call with its arguments as the JSON text of an object."""
    raw = call.get("function")
    function = raw if isinstance(raw, dict) else {}
    text, is_object = function.get("arguments"), isinstance(arguments, dict)
    if not isinstance(text, str) or not is_object:
        text = dump(arguments if is_object else {}).decode()
    named = {"name": str(function.get("name") or A_TOOL), "arguments": text}
    return {"id": call["id"], "type": "function", "function": named}


def _result(message: Json, names: Mapping[str, str], step_id: str, losses: Losses) -> Json:
    call_id = str(message.get("tool_call_id") or "")
    content = message["content"]
    if isinstance(content, list):
        media = sum(1 for part in content if not _is_text(part))
        losses.note(Code.PARTS_DROPPED, step_id, media)
    name = message.get("name") or names.get(call_id)
    return {
        "role": "tool",
        "tool_call_id": call_id,
        "name": name if isinstance(name, str) else A_TOOL,
        "content": text_of(content),
    }


def _content(content: object, step_id: str, losses: Losses) -> object:
    """Return a text, or parts that chat messages can have, with placeholders for other parts."""
    if not isinstance(content, list):
        return content if isinstance(content, str) else ""
    parts = [_part(part) for part in content]
    losses.note(Code.PARTS_DROPPED, step_id, parts.count(None))
    return [
        part or {"type": "text", "text": placeholder(part_in)}
        for part, part_in in zip(parts, content, strict=True)
    ]


def _part(part: object) -> Json | None:
    """Return a part that chat messages can have, with standard members only; else ``None``."""
    if not isinstance(part, dict):
        return None
    kind, value = part.get("type"), part.get(str(part.get("type")))
    if _is_text(part):
        return {"type": "text", "text": part["text"]}
    if kind == "image_url" and isinstance(value, dict) and isinstance(value.get("url"), str):
        return {"type": "image_url", "image_url": value}
    if kind in ("input_audio", "file") and isinstance(value, dict):
        return {"type": kind, kind: value}
    return None


def placeholder(part: object) -> str:
    """Return a placeholder text for a part: ``[video]``."""
    kind = part.get("type") if isinstance(part, dict) else None
    return f"[{kind if isinstance(kind, str) else 'part'}]"


def _is_text(part: object) -> bool:
    if not isinstance(part, dict):
        return False
    return part.get("type") == "text" and isinstance(part.get("text"), str)


def tools_of(agent: DocumentAgent, losses: Losses) -> Sequence[Json]:
    """Return the tools offered in the agent's first model call, in the form of OpenAI's API.

    Tools offered only in later calls are counted as lost.
    """
    offers = [step for step in agent.steps if TOOL_DEFINITIONS in step.metadata]
    for step in offers[1:]:
        losses.note(Code.METADATA_DROPPED, step.id)
    found = json_value(str(offers[0].metadata[TOOL_DEFINITIONS])) if offers else ""
    tools = map(_tool, found if isinstance(found, list) else ())
    return [tool for tool in tools if tool]


def _tool(offered: object) -> Json | None:
    if not isinstance(offered, dict):
        return None
    if isinstance(function := offered.get("function"), dict):
        return {"type": "function", "function": function}
    if not isinstance(offered.get("name"), str):
        return None
    schema = offered.get("parameters") or offered.get("input_schema") or offered.get("inputSchema")
    about = {"description": offered["description"]} if offered.get("description") else {}
    parameters = {"parameters": schema} if isinstance(schema, dict) else {}
    return {"type": "function", "function": {"name": offered["name"], **about, **parameters}}
