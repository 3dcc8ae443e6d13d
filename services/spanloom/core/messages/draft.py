"""Collects the parts of a message during its conversion.

Texts and media become the message's content; thoughts and tool calls have separate keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.messages.wire import compact

if TYPE_CHECKING:
    from spanloom.core.model.message import Json


class Draft:
    """A message under construction; ``finish`` appends it to ``out``."""

    __slots__ = (
        "calls",
        "content",
        "extras",
        "foreign",
        "is_begun",
        "out",
        "role",
        "secrets",
        "thoughts",
    )

    def __init__(self, out: list[Json], role: str) -> None:
        """Start an empty message with this role."""
        self.out = out
        self.role = role
        self.content: list[Json] = []
        self.foreign = 0
        """Number of content parts of unknown kinds."""
        self.thoughts: list[str] = []
        self.secrets: list[Json] = []
        self.calls: list[dict[str, Json]] = []
        self.extras: dict[str, Json] = {}
        self.is_begun = False

    def finish(self, *, is_last: bool = True) -> None:
        """Append the message to ``out``, unless the draft held only a tool's result."""
        has_content = self.content or self.calls or self.thoughts or self.secrets
        if not has_content and (self.is_begun or not is_last):
            return
        message: dict[str, Json] = {"role": self.role, "content": self._simplify()}
        if self.thoughts:
            message["reasoning_content"] = "\n".join(self.thoughts)
        if self.calls:
            # A tool call may be both a part and in a field; it counts once: the last report wins.
            once = {call.get("id", n): call for n, call in enumerate(self.calls)}
            message["tool_calls"] = list(once.values())
        if self.secrets:
            message["reasoning_details"] = self.secrets
        message.update(self.extras)
        self.out.append(message)
        self.content, self.thoughts, self.secrets, self.calls = [], [], [], []
        self.extras = {}
        self.foreign = 0
        self.is_begun = True

    def _simplify(self) -> Json:
        """Return the content: one text as a string, known parts as a list, others as JSON text."""
        content = self.content
        if not content:
            return ""
        if len(content) == 1 and isinstance(content[0], str):
            return content[0]
        if len(content) == self.foreign:
            return compact(content)
        return [{"type": "text", "text": p} if isinstance(p, str) else p for p in content]
