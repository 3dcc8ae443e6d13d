"""The options that filter runs, for every command that shows several."""

from __future__ import annotations

from functools import reduce, wraps
from typing import TYPE_CHECKING, Any

import click

from spanloom.cli.client import to_milliseconds
from spanloom.core.query.where.fields import RUN_FIELDS
from spanloom.core.records.declared import FieldType
from spanloom.core.records.run_filters import run_shorts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def to_moment(ctx: click.Context, param: click.Parameter, text: str | None) -> str | None:
    """Return the text, which the client parses; raises ``click.BadParameter`` if it is invalid."""
    to_milliseconds(ctx, param, text)
    return text


def _options() -> Iterator[Callable[..., Any]]:
    """Yield the options: those of short spellings, then those with other names."""
    yield click.option("--project", metavar="NAME", help="Only of this project.")
    yield click.option("--where", metavar="QUERY", help="Only runs for which this holds.")
    for name, short in run_shorts().items():
        if short.option:
            yield click.option(
                f"--{name.replace('_', '-')}", name, help=short.option, **_kind(name)
            )
    yield click.option(
        "--errors/--no-errors",
        "has_error",
        default=None,
        help="Only those that failed, or did not.",
    )
    yield click.option(
        "--all",
        "everything",
        is_flag=True,
        help="Also runs that repeat another, and traces without a step: health checks and the "
        "like.",
    )


def _kind(name: str) -> dict[str, Any]:
    """Return an option's type and its placeholder in the help."""
    field = RUN_FIELDS[run_shorts()[name].field or name]
    if field.type is FieldType.TIME:
        return {"metavar": "WHEN", "callback": to_moment}
    if field.choices:
        return {"type": click.Choice(field.choices)}
    return {"metavar": _METAVARS.get(name, "NAME")}


_METAVARS = {"user": "ID", "conversation": "ID", "tag": "TAG"}
_NAMES = ("project", "where", "has_error", *(n for n, s in run_shorts().items() if s.option))


def run_filters(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options, and pass the command their values as ``filters`` of the client."""

    @wraps(command)
    def with_filters(*args: Any, everything: bool, **kwargs: Any) -> None:
        filters = {name: kwargs.pop(name) for name in _NAMES}
        filters["duplicate"] = None if everything else False
        filters["has_steps"] = None if everything else True
        command(*args, filters=filters, **kwargs)

    return reduce(lambda wrapped, option: option(wrapped), reversed(list(_options())), with_filters)


def words_option(command: Callable[..., None]) -> Callable[..., None]:
    """Add ``--words``, for commands that list stored runs."""
    return click.option(
        "--words",
        metavar="WORDS",
        help='Only runs in which a step said this: refund "rate limit" kubern*.',
    )(command)


def order_option(command: Callable[..., None]) -> Callable[..., None]:
    """Add ``--order``, for commands that list runs in an order."""
    return click.option(
        "--order",
        metavar="FIELD",
        help="In this order in place of the newest first: -duration is the longest first.",
    )(command)
