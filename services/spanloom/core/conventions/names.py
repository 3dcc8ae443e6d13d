"""Makes the displayed name of a step: fills templates, removes ids, prefers an author's name.

Runs are grouped, filtered and compared by name, so names must be equal from run to run:
``Flow_eb23b91c-….kickoff`` is shown as ``Flow.kickoff``. Logfire names spans after their message
template, ``OpenAI Agents trace: {name}``, whose fields are attributes of the span. The AI SDK
names the span of a call after function and model; the name that the author gave is an attribute.
"""

from __future__ import annotations

import re
from string import Formatter
from typing import TYPE_CHECKING

from spanloom.core.conventions.operations import OPERATION
from spanloom.core.values.attributes import Json, decimal, first, json_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanloom.core.model.span import Span

_FUNCTIONS = ("ai.telemetry.functionId", "vercel.ai.telemetry.functionId", "gen_ai.function_id")
"""Attributes with the name that the author gave a call of an AI SDK function (``generateText``)."""
_WORKFLOWS = ("gen_ai.workflow.name", "crewai.crew.name", "crewai.flow.name", "workflow.name")
_AGENT_NAME = "gen_ai.agent.name"
_RUNS = ("invoke_agent", "invoke_workflow")
_TEMPLATE, _MESSAGE = "logfire.msg_template", "logfire.msg"
_FORMATTER = Formatter()
_MEMBER = re.compile(r"\[([^\]]*)\]")
_ROUTE = re.compile(r"/\{")
MAX_FIELD_CHARS = 100
"""Longer values count as texts, not names."""
MAX_CHARS = 1_000
"""Longer names are left unchanged, to limit the work on a name."""
_HEX = r"[0-9a-fA-F]"
_PREFIXES = ("asst", "thread", "run", "msg", "call", "chatcmpl", "resp", "toolu", "conv", "sess")
_AFTER_PREFIX = "|".join(rf"(?<={prefix}[_-])" for prefix in (*_PREFIXES, "req", "session"))
"""Prefixes after which the ids of providers' APIs begin: ``asst_…``."""
_ID = re.compile(
    r"(?<![0-9a-zA-Z])(?=[0-9a-zA-Z]{8}|20[0-9][0-9]-)"
    rf"(?:{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}"
    rf"|(?=[a-fA-F]*[0-9]){_HEX}{{16,64}}|[0-9]{{10,}}|[0-7][0-9A-HJKMNP-TV-Z]{{25}}"
    r"|(?=[0-9a-zA-Z]{12,64}(?![0-9a-zA-Z]))(?:[0-9]*+[a-zA-Z]++[0-9]++){4,}+[a-zA-Z]*"
    rf"|(?:{_AFTER_PREFIX})(?=[a-zA-Z]*+[0-9]++[a-zA-Z])[0-9a-zA-Z]{{12,64}}"
    r"|20[0-9]{2}-[01][0-9]-[0-3][0-9][T ][0-2][0-9]:[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]+)?)?"
    r"(?:Z|[+-][01][0-9]:?[0-5][0-9])?)(?![0-9a-zA-Z])"
)
"""Ids: a UUID, the hexadecimal digits of a hash or a span id, a time in seconds or a finer unit, a
ULID, alternating letters and digits, an id after a prefix, or a date with a time. Letters followed
by a number are a name even after a prefix: ``run_simulation2024``."""
_LABEL = re.compile(r"(?:(?<=[\s(\[{<,_.:/#@-])|^)(?:uu)?id\s?[=:]\s?$", re.IGNORECASE)
"""Labels before an id: ``Agent(id=8f14…)``."""
_DIGIT = re.compile(r"[0-9]")
_ID_KEY = re.compile(r"(?:^|[._-])(?:uu)?ids?$|[a-z]I[dD]$")
_OF_NAMES = re.compile(
    r"(?:agent|model|node|tool|function|assistant|graph|prompt|source|store|policy|workflow)[._-]?i[dD]$"
)
"""Id keys whose values are authors' names for things: ``graph.node.id`` is an agent's role."""
_NAMING = ("name", "model", "role")
"""Suffixes of keys whose values are names, even if an id attribute has the same value."""
_MIN_ID_CHARS = 6
_SEPARATORS = "_-.:/#@ "
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}


def name_of(span: Span) -> str:
    """Return the span's name with its template filled and without ids."""
    name = span.name
    if len(name) > MAX_CHARS:
        return name
    if "{" in name:
        name = fill_template(name, span.attributes)
    return without_ids(name, span.attributes)


def function_name(span: Span) -> str:
    """Return the name that the author gave an AI SDK function's call; empty for other spans."""
    return first(span.attributes, *_FUNCTIONS)


def author_name(span: Span) -> str:
    """Return the name that the author gave a run; empty if the span's own name contains it.

    The name of an AI SDK function's call is always returned, because its agents are named after it.
    """
    attributes = span.attributes
    if function := function_name(span):
        return without_ids(function)
    name = first(attributes, *_WORKFLOWS)
    operation = attributes.get(OPERATION) or span.name.partition(" ")[0]
    if not name and operation in _RUNS:
        name = attributes.get(_AGENT_NAME, "")
    if len(name) > MAX_CHARS:
        return ""
    return without_ids(name) if name and not _has_word(span.name, name) else ""


def _has_word(text: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def fill_template(template: str, attributes: Mapping[str, str]) -> str:
    """Return a template whose fields (``{a[b]!r}``) are filled with values of the attributes.

    A field with an id is left unfilled, so that names repeat. An HTTP route is not a template.
    """
    if _TEMPLATE not in attributes and _ROUTE.search(template):
        return template
    try:
        parts = list(_FORMATTER.parse(template))
    except ValueError:
        return template
    if any(f and _value(f, attributes) is None for _, f, _, _ in parts) and (
        attributes.get(_TEMPLATE) == template and (message := attributes.get(_MESSAGE))
    ):
        return message if len(message) <= MAX_FIELD_CHARS and message.isprintable() else template
    shown = [_shown(field or "", conversion or "", attributes) for _, field, _, conversion in parts]
    if not any(shown):
        return template
    return "".join(
        literal + (_written(*rest) if text is None else text)
        for (literal, *rest), text in zip(parts, shown, strict=True)
    )


def _written(field: str | None, spec: str | None, conversion: str | None) -> str:
    """Return a field as it is written in the template."""
    if field is None:
        return ""
    return f"{{{field}{f'!{conversion}' if conversion else ''}{f':{spec}' if spec else ''}}}"


def _shown(field: str, conversion: str, attributes: Mapping[str, str]) -> str | None:
    """Return the text of a field; ``None`` if its value is missing, an id, or too long."""
    name = field.rstrip("=")
    value = _value(name, attributes)
    if value is None or isinstance(value, (dict, list)) or _ID_KEY.search(name.rstrip("]")):
        return None
    text = value if isinstance(value, str) else str(value)
    if not 0 < len(text) <= MAX_FIELD_CHARS or not text.isprintable() or _ID.search(text):
        return None
    is_quoted = conversion in ("r", "a") and isinstance(value, str) and decimal(text) is None
    return f"{field if name != field else ''}{repr(text) if is_quoted else text}"


def _value(field: str, attributes: Mapping[str, str]) -> Json:
    """Return the value of ``a``, ``a[b]`` or ``a.b``; ``None`` if the attributes lack it."""
    if field in attributes:
        return attributes[field]
    key, bracket, _ = field.partition("[")
    members = _MEMBER.findall(field) if bracket else []
    if not bracket:
        key, _, rest = field.partition(".")
        members = rest.split(".") if rest else []
    value: Json = json_value(attributes.get(key, "")) if members else None
    for member in members:
        value = _member(value, member)
    return value


def _member(value: Json, member: str) -> Json:
    if isinstance(value, list) and member.isdecimal() and int(member) < len(value):
        return value[int(member)]
    return value.get(member) if isinstance(value, dict) else None


def without_ids(name: str, attributes: Mapping[str, str] | None = None) -> str:
    """Return a name without ids and the separators before them; unchanged if nothing would be left.

    An id is a UUID or similar, or the value of an id attribute of the span.
    """
    if len(name) > MAX_CHARS or _DIGIT.search(name) is None:
        return name
    shorter = name
    for own in _own_ids(name, attributes or {}):
        shorter = _take_out(shorter, own)
    while (found := _ID.search(shorter)) is not None:
        shorter = _take_out(shorter, found[0])
    return shorter if shorter is name or any(map(str.isalnum, shorter)) else name


def _own_ids(name: str, attributes: Mapping[str, str]) -> Iterable[str]:
    """Return the values of id attributes that occur in the name, the longest first."""
    found = {
        value
        for key, value in attributes.items()
        if len(name) > len(value) >= _MIN_ID_CHARS
        and value in name
        and _DIGIT.search(value)
        and _ID_KEY.search(key)
        and not _OF_NAMES.search(key)
    }
    if not found:
        return ()
    named = {value for key, value in attributes.items() if key.endswith(_NAMING)}
    return sorted(found - named, key=lambda value: (-len(value), value))


def _take_out(name: str, part: str) -> str:
    """Return the name without a part, the brackets around it, and the separator before it."""
    before, _, after = name.partition(part)
    before = _LABEL.sub("", before)
    if before[-1:] in _CLOSING and after[:1] == _CLOSING[before[-1:]]:
        before, after = before[:-1], after[1:]
    before = before.rstrip(_SEPARATORS)
    return f"{before}{after}" if before else after.lstrip(_SEPARATORS)
