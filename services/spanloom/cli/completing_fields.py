"""Completion of fields and their values, requested from the service within a time limit."""

from __future__ import annotations

import time
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

from click.shell_completion import CompletionItem

from spanloom.cli.begun_query import RUNS, STEPS, Place, begins, quoted, read_begun
from spanloom.core.query.selection import START
from spanloom.core.query.stats import COUNT, GROUPS, NUMBERS, OF_NUMBERS, RATE
from spanloom.core.query.where.reader import JOINING
from spanloom.core.records.declared import FieldType
from spanloom.core.showing.values import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import click

    from spanloom.cli.begun_query import Begun
    from spanloom.client.client import Client
    from spanloom.core.records.field import FieldItem


if TYPE_CHECKING:
    Offer = Callable[[click.Context, str], list[CompletionItem]]


T = TypeVar("T")
WAIT_S = 0.5
"""Seconds for all requests after one press of Tab; starting the process takes another 0.4 s."""
_UNTIL = "spanloom.cli.completing_fields.until"


def ask_briefly(ctx: click.Context, call: Callable[[Client], T]) -> T | None:
    """Call the service that the command line names; return ``None`` after the time limit.

    The limit also covers slow name resolution and hosts that do not respond.
    """
    until: float = ctx.meta.setdefault(_UNTIL, time.monotonic() + WAIT_S)
    left_s = until - time.monotonic()
    if left_s <= 0:
        return None
    answers: list[T] = []
    thread = Thread(target=lambda: answers.extend(_responses(ctx, call, left_s)), daemon=True)
    thread.start()
    thread.join(left_s)
    return answers[0] if answers else None


def _responses(ctx: click.Context, call: Callable[[Client], T], timeout_s: float) -> list[T]:
    from spanloom.client import Client, ClientError  # noqa: PLC0415  # for a shell only

    try:
        with Client(ctx.params.get("api_url"), timeout_s=timeout_s, tries=1) as client:
            return [call(client)]
    except (ClientError, ValueError):
        return []


_LINKS = ("and", "or")
_STEP_LINKS = ("then", "next", "within", "under", "child of")
_GROUPS, _NUMBERS = ({kind.value for kind in kinds} for kinds in (GROUPS, NUMBERS))
"""The API's names for the types of fields that can be grouped by, and for numeric types."""


def _offer_query(subject: str | None, ctx: click.Context, text: str) -> list[CompletionItem]:
    """Offer the next words of a query: fields, operators, values, and conjunctions."""
    of = subject or ctx.params.get("of") or RUNS
    begun = read_begun(text, of)
    return [
        CompletionItem(begun.prefix + word, help=about)
        for word, about in _next_words(begun, ctx, is_outside_runs=of == RUNS)
        if begins(word, begun.part)
    ]


def _next_words(
    begun: Begun, ctx: click.Context, *, is_outside_runs: bool
) -> Iterator[tuple[str, str]]:
    fields = {field.name: field for field in _fields(ctx) if field.of == begun.of}
    if begun.place is Place.FIELD and fields:
        for field in fields.values():
            yield field.name + "." * field.has_keys, field.description
        if begun.of == RUNS:
            yield from (("has(", "a step, or several in an order"), ("count(", "of steps"))
        yield "not", ""
    elif begun.place is Place.VALUE and begun.field in fields:
        yield from ((word, "") for word in _values(fields[begun.field], begun, ctx))
    elif begun.place is Place.OPERATOR and begun.field in fields:
        field = fields[begun.field]
        yield from ((sign, "") for sign in field.operators)
        if field.type in _NUMBERS and not field.has_keys:
            yield from ((sign, "of numbers") for sign in JOINING)
        if field.type == "flag":
            yield from _links(begun, is_shape=is_outside_runs)
    elif begun.place is Place.LINK:
        yield from _links(begun, is_shape=is_outside_runs)


def _links(begun: Begun, *, is_shape: bool) -> Iterator[tuple[str, str]]:
    links = (*_LINKS, *_STEP_LINKS) if is_shape and begun.of == STEPS else _LINKS
    return ((word, "") for word in links)


def _values(field: FieldItem, begun: Begun, ctx: click.Context) -> Iterable[str]:
    if field.choices:
        return field.choices
    if field.type != "text":
        return ()
    project = ctx.params.get("project")
    values = ask_briefly(
        ctx, lambda client: client.field_values(field.name, of=field.of, project=project).items
    )
    quote = begun.part[:1] if begun.part[:1] in ("'", '"') else '"'
    return [quoted(str(one.value), quote) for one in values or () if _is_plain(str(one.value))]


def _offer_order(ctx: click.Context, text: str) -> list[CompletionItem]:
    """Offer the fields that can order runs or steps, each also with ``-`` (descending)."""
    of = STEPS if STEPS in (ctx.info_name, ctx.params.get("subject")) else RUNS
    ordered = {f.name: f.description for f in _fields(ctx) if f.is_ordered and _orders(f, of)}
    return _items(((sign + n, why) for sign in ("", "-") for n, why in ordered.items()), text)


def _orders(field: FieldItem, of: str) -> bool:
    """Return whether runs or steps can be ordered by a field.

    Steps can also be ordered by the start of their run.
    """
    return field.of == of or field.name == START.name


def _offer_groups(ctx: click.Context, text: str) -> list[CompletionItem]:
    """Offer the fields that can be grouped by, after the fields already typed."""
    of = ctx.params.get("of") or RUNS
    grouped = (field for field in _fields(ctx) if field.type in _GROUPS and not field.has_keys)
    fields = [field for field in grouped if field.of == of]
    return _listed(((field.name, field.description) for field in fields), text)


def offer_metrics(ctx: click.Context, _param: click.Parameter, text: str) -> list[CompletionItem]:
    """Offer ``count`` and ``rate``, functions of numeric fields, and then their arguments."""
    of = ctx.params.get("of") or RUNS
    fields = [field for field in _fields(ctx) if field.of == of]
    if not fields:
        return []
    function = text.rpartition(",")[2].partition("(")[0]
    if "(" not in text.rpartition(",")[2]:
        functions = (COUNT, f"{RATE}(", *(f"{name}(" for name in OF_NUMBERS))
        return _listed(((name, "") for name in functions), text)
    kinds = {FieldType.FLAG.value} if function == RATE else _NUMBERS
    fitting = [field for field in fields if field.type in kinds]
    return _listed(((f"{function}({f.name})", f.description) for f in fitting), text)


def offer_names(ctx: click.Context, _param: click.Parameter, text: str) -> list[CompletionItem]:
    """Offer the names of fields, each once."""
    of = ctx.params.get("of")
    fields = {f.name: f.description for f in reversed(_fields(ctx)) if of in (None, f.of)}
    return _items(reversed(fields.items()), text)


def offer_views(ctx: click.Context, _param: click.Parameter, text: str) -> list[CompletionItem]:
    """Offer the names of the views of the named page, or of the command's own page."""
    return _offer_views(ctx, text)


def _offer_views(ctx: click.Context, text: str) -> list[CompletionItem]:
    page = ctx.params.get("page") or (STEPS if ctx.info_name == STEPS else "runs")
    project = ctx.params.get("project")
    views = ask_briefly(ctx, lambda client: client.views(page=page, project=project)) or ()
    return _items(((v.name, v.owner) for v in views if v.name == printable(v.name)), text)


OFFERS: Mapping[str, Offer] = {
    "--where": partial(_offer_query, None),
    "--run-where": partial(_offer_query, RUNS),
    "--order": _offer_order,
    "--by": _offer_groups,
    "--view": _offer_views,
}
"""Option → the completion of its value."""


def _fields(ctx: click.Context) -> Sequence[FieldItem]:
    return ask_briefly(ctx, lambda client: client.fields().items) or ()


def _items(offered: Iterable[tuple[str, str]], text: str, prefix: str = "") -> list[CompletionItem]:
    return [
        CompletionItem(prefix + name, help=help_text)
        for name, help_text in offered
        if name.startswith(text)
    ]


def _listed(offered: Iterable[tuple[str, str]], text: str) -> list[CompletionItem]:
    """Offer names for the part of ``text`` after the last comma."""
    before, comma, part = text.rpartition(",")
    return _items(offered, part, before + comma)


def _is_plain(value: str) -> bool:
    return value == printable(value)
