"""Formats messages, tool calls and failures for people."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import orjson
from rich.text import Text

from spanloom.core.document import Document
from spanloom.core.model.step import NO_CODE, with_type
from spanloom.core.showing.values import printable, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.document import DocumentFailure, DocumentStep


ROLE_STYLES = {
    "system": "dim",
    "developer": "dim",
    "user": "bold green",
    "assistant": "bold cyan",
    "tool": "bold yellow",
}
FOLD_CHARS = 600
"""Longer texts are folded, unless ``--full`` is set."""
_MEDIA = {"image_url": "image", "input_audio": "audio", "file": "file"}
_INDENT = "  "

Message = dict[str, Any]  # a message as in docs/messages.md


def read_messages(text: str) -> Sequence[Message]:
    """Return the messages in a model step's input or output; empty if there are none.

    A tool result gets the name of its tool if the messages include the tool call.
    """
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return []
    items = value if isinstance(value, list) else []
    messages = [item for item in items if isinstance(item, dict)]
    calls = [call for message in messages for call in calls_of(message)]
    names = {str(call["id"]): call.get("name") for call in calls if call["id"]}
    return [{"name": names.get(str(m.get("tool_call_id"))), **m} for m in messages]


def message_lines(message: Message, *, is_full: bool) -> Iterator[Text]:
    """Yield the role, the reasoning, the content and the tool calls of a message."""
    role = str(message.get("role") or "?")
    name = f" {printable(str(message['name']))}" if message.get("name") else ""
    yield Text.assemble((printable(role), ROLE_STYLES.get(role, "bold")), (name, "dim"))
    lines = list(_content_lines(message, is_full=is_full))
    yield from lines or [Text(f"{_INDENT}(empty)", "dim italic")]


def _content_lines(message: Message, *, is_full: bool) -> Iterator[Text]:
    if thought := str(message.get("reasoning_content") or ""):
        yield from text_lines(thought, is_full=is_full, style="italic dim")
    yield from text_lines(content_text(message.get("content")), is_full=is_full)
    for call in calls_of(message):
        yield from call_lines(call.get("name"), call.get("arguments"), is_full=is_full)


def calls_of(message: Message) -> Iterator[dict[str, Any]]:
    """Yield each tool call of a message: name, arguments and id (``None`` if missing)."""
    for call in message.get("tool_calls") or []:
        fields = call if isinstance(call, dict) else {}
        function = fields.get("function")
        yield {"id": fields.get("id"), **(function if isinstance(function, dict) else {})}


def call_lines(name: object, arguments: object, *, is_full: bool) -> Iterator[Text]:
    """Yield a tool call in the form ``weather({"city": "Oslo"})``."""
    first, *rest = text_lines(f"{name}({arguments or ''})", is_full=is_full, style="yellow")
    yield Text.assemble(_INDENT, ("calls ", "dim"), first[len(_INDENT) :])
    yield from rest


def text_lines(text: str, *, is_full: bool, style: str = "") -> Iterator[Text]:
    """Yield a text line by line, indented; a long text is folded and its length added."""
    is_folded = len(text) > FOLD_CHARS and not is_full
    shown = text[:FOLD_CHARS] if is_folded else text
    for line in shown.splitlines():
        yield Text(_INDENT + printable(line), style)
    if is_folded:
        yield Text(f"{_INDENT}\u2026 {len(text):,} characters, --full shows all", "dim italic")


def content_text(content: object) -> str:
    """Return a message's content as text, media as ``[image image/png, 12,345 characters]``."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(_part(part) for part in parts if isinstance(part, dict))


def _part(part: dict[str, Any]) -> str:
    kind = str(part.get("type"))
    if kind == "text":
        return str(part.get("text") or "")
    inner = part.get(kind)
    fields = inner if isinstance(inner, dict) else {}
    data = str(fields.get("url") or fields.get("data") or fields.get("file_data") or "")
    named = str(fields.get("filename") or fields.get("format") or "")
    media = data[5:].partition(";")[0] if data.startswith("data:") else data
    size = f"{len(data):,} characters" if data.startswith("data:") else ""
    facts = ", ".join(fact for fact in (named, media[:200], size) if fact)
    return f"[{' '.join(filter(None, (_MEDIA.get(kind, kind), facts)))}]"


MAX_CHARS = 400


def failures_by_step(document: dict[str, Any]) -> Mapping[str, Sequence[DocumentFailure]]:
    """Return the failures listed in a canonical document, keyed by step id."""
    by_step: defaultdict[str, list[DocumentFailure]] = defaultdict(list)
    for failure in Document(document).extraction.errors:
        by_step[str(failure.step_id)].append(failure)
    return by_step


def failure_texts(step: DocumentStep, listed: Sequence[DocumentFailure]) -> Iterator[str]:
    """Yield the failures of a step, one line each: ``KeyError: 'city'``.

    The step's own failure comes first. A failure in a descendant span that is not a step names the
    span: ``ConnectionError: refused (in span 3f2a…, recovered)``.
    """
    has_failed, own = bool(step.error), step.error_message
    if has_failed:
        yield _words(step.error_code, own, str(step.metadata.get("error_type") or ""))
    for failure in listed:
        where = str(failure.where)
        if where != step.id and not (has_failed and own == failure.message):
            recovered = ", recovered" if failure.is_recovered else ""
            words = _words(failure.code, failure.message, str(failure.type))
            yield f"{words} (in span {where}{recovered})"


def _words(code: int, message: str, kind: str) -> str:
    number = f"{code} " if code != NO_CODE else ""
    return number + with_type(shortened(str(message or "failed"), MAX_CHARS), kind)
