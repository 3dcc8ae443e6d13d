"""Prints spans, as a table of classifications or as sent in OTLP, and nests them as a tree."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson
from rich.table import Table
from rich.text import Text

from spanloom.core.document import whole
from spanloom.core.showing.values import duration, instant, printable, shortened
from spanloom.terminal.output import TYPE_STYLES, print_indented, signs_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import Console


MAX_SPANS = 2_000
_WIDE = 120


def render_spans(document: dict[str, Any], console: Console) -> None:
    """Print the response of ``/spans``: each span's kind, the rule that decided, and its step.

    In the column for the step, ``itself`` means that the span is the step, an id that the span is
    counted in that step, and ``noise`` that the span has no step.
    """
    signs = signs_of(console)
    is_wide = console.width >= _WIDE
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("span", "kind", "name", "decided by", *(["dialect"] if is_wide else [])):
        table.add_column(title, no_wrap=title in {"span", "kind", "dialect"})
    table.add_column("counts under", no_wrap=True)
    spans = document.get("spans") or []
    for span in spans[:MAX_SPANS]:
        kind = str(span.get("kind"))
        style = TYPE_STYLES.get(kind, "")
        table.add_row(
            _cell(str(span.get("span_id")), "dim"),
            _cell(f"{signs.types.get(kind, '?')} {kind}", style),
            _cell(str(span.get("name")), style),
            _cell(str(span.get("rule"))),
            *([_cell(str(span.get("dialect")))] if is_wide else []),
            _step(span),
        )
    console.print(table)
    if len(spans) > MAX_SPANS:
        left = f"{signs.more} {len(spans) - MAX_SPANS:,} more spans; --json has all of them"
        console.print(Text(left, "yellow"))


def _step(span: dict[str, Any]) -> Text:
    if span.get("step_id") is None:
        return Text("noise", "dim")
    return _cell("itself" if span["step_id"] == span.get("span_id") else str(span["step_id"]))


def _cell(text: str, style: str = "") -> Text:
    return Text(printable(text), style, no_wrap=True, overflow="ellipsis")


@dataclass(slots=True)
class SpanNode:
    """A span and its children."""

    span: dict[str, Any]  # an item of the response of /spans
    kind: str
    children: list[SpanNode] = field(default_factory=list)
    parent: SpanNode | None = None


def build_forest(spans: Sequence[dict[str, Any]]) -> list[SpanNode]:
    """Nest each span under its parent; return the spans whose parent is missing.

    Each span occurs exactly once: a cycle is cut at its first span.
    """
    nodes = {str(span.get("span_id")): SpanNode(span, str(span.get("kind"))) for span in spans}
    tops: list[SpanNode] = []
    for node in nodes.values():
        node.parent = nodes.get(node.span.get("parent_span_id") or "")
        (tops if node.parent is None else node.parent.children).append(node)
    reached = _below(tops)
    for node in nodes.values():
        if id(node) not in reached and node.parent is not None:
            node.parent.children.remove(node)
            node.parent = None
            tops.append(node)
            reached |= _below([node])
    return tops


def _below(tops: Iterable[SpanNode]) -> set[int]:
    """Return the ``id()`` of the nodes ``tops`` and of all their descendants."""
    nodes = list(tops)
    for node in nodes:
        nodes.extend(node.children)
    return {id(node) for node in nodes}


VALUE_CHARS = 400
_KINDS = ("unspecified", "internal", "server", "client", "producer", "consumer")
_STATUSES = {1: ("ok", "green"), 2: ("error", "bold red")}
_NS_PER_MS = 1_000_000

Fields = dict[str, Any]  # an OTLP message as JSON


def render_sent_spans(data: Fields, console: Console, *, is_full: bool) -> None:
    """Print every span of OTLP JSON: name, times, attributes, events, links and resource."""
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
    """Return an attribute's value: a string unchanged, anything else as JSON."""
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
