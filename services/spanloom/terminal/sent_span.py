"""Spans as they were sent, in OTLP's own words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
from rich.text import Text

from spanloom.core.document import whole
from spanloom.core.showing.values import duration, instant, printable, shortened
from spanloom.terminal.output import print_indented

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

VALUE_CHARS = 400
_KINDS = ("unspecified", "internal", "server", "client", "producer", "consumer")
_STATUSES = {1: ("ok", "green"), 2: ("error", "bold red")}
_NS_PER_MS = 1_000_000

Fields = dict[str, Any]  # a message of OTLP as JSON


def render_sent_spans(data: Fields, console: Console, *, is_full: bool) -> None:
    """Print every span of OTLP JSON: its name and times, then what it carries."""
    for resource_spans in data.get("resourceSpans") or []:
        resource = resource_spans.get("resource") or {}
        for scope_spans in resource_spans.get("scopeSpans") or []:
            scope = scope_spans.get("scope") or {}
            for span in scope_spans.get("spans") or []:
                for line in _span(span, scope, resource, is_full=is_full):
                    print_indented(line, console)


def _span(span: Fields, scope: Fields, resource: Fields, *, is_full: bool) -> Iterator[Text]:
    start_ns, end_ns = whole(span.get("startTimeUnixNano")), whole(span.get("endTimeUnixNano"))
    status = span.get("status") or {}
    word, style = _STATUSES.get(whole(status.get("code")), ("", ""))
    kind = _KINDS[min(whole(span.get("kind")), len(_KINDS) - 1)]
    yield Text.assemble(
        (printable(str(span.get("name") or "(no name)")), "bold"),
        (f"  {kind}, {duration(max(0, end_ns - start_ns) // _NS_PER_MS)}  ", "dim"),
        (word, style),
        (f" {printable(str(status.get('message') or ''))}", style),
    )
    above = span.get("parentSpanId") or "none"
    yield Text(f"  {span.get('spanId')}  parent {above}  {instant(start_ns // _NS_PER_MS)}", "dim")
    version = f" {scope['version']}" if scope.get("version") else ""
    yield Text(f"  scope {printable(str(scope.get('name') or ''))}{printable(version)}", "dim")
    yield from _attributes("attributes", span, is_full=is_full)
    for event in span.get("events") or []:
        yield from _attributes(f"event {event.get('name') or ''}", event, is_full=is_full)
    for link in span.get("links") or []:
        where = f"link to {link.get('spanId')} of {link.get('traceId')}"
        yield from _attributes(where, link, is_full=is_full)
    yield from _attributes("resource", resource, is_full=is_full)


def _attributes(label: str, of: Fields, *, is_full: bool) -> Iterator[Text]:
    yield Text(f"  {printable(label)}", "dim")
    for attribute in of.get("attributes") or []:
        text = _value(attribute.get("value") or {})
        shown = printable(text) if is_full else shortened(text, VALUE_CHARS)
        yield Text.assemble((f"    {printable(str(attribute.get('key') or ''))}: ", "cyan"), shown)


def _value(value: Fields) -> str:
    """Return an attribute's value: text as it is, anything else as JSON."""
    plain = _plain(value)
    return plain if isinstance(plain, str) else orjson.dumps(plain).decode()


def _plain(value: Fields) -> Any:  # any JSON value
    if (array := value.get("arrayValue")) is not None:
        return [_plain(item) for item in array.get("values") or []]
    if (pairs := value.get("kvlistValue")) is not None:
        return {
            str(pair.get("key") or ""): _plain(pair.get("value") or {})
            for pair in pairs.get("values") or []
        }
    if (number := value.get("intValue")) is not None:
        return whole(number)
    return next(iter(value.values()), "")
