"""The options that say which runs are wanted, of every command that shows several."""

from __future__ import annotations

from functools import reduce, wraps
from typing import TYPE_CHECKING, Any

import click

from spanloom.cli.client import to_milliseconds
from spanloom.core.model.trajectory import Outcome
from spanloom.terminal.values import STATUS_STYLES

if TYPE_CHECKING:
    from collections.abc import Callable


def to_moment(ctx: click.Context, param: click.Parameter, text: str | None) -> str | None:
    """Return the text, for the client reads it; raises ``click.BadParameter`` for no time."""
    to_milliseconds(ctx, param, text)
    return text


_OPTIONS = (
    click.option("--project", metavar="NAME", help="Only of this project."),
    click.option("--where", metavar="QUERY", help="Only runs for which this holds."),
    click.option(
        "--since",
        metavar="WHEN",
        callback=to_moment,
        help="Started at or after: 30m, 2h or 7d ago, a date, a time.",
    ),
    click.option(
        "--until", metavar="WHEN", callback=to_moment, help="Started before; like --since."
    ),
    click.option("--status", type=click.Choice(list(STATUS_STYLES)), help="Only in this status."),
    click.option("--root", "root_name", metavar="NAME", help="Only runs whose root has this name."),
    click.option(
        "--agent", "agent_name", metavar="NAME", help="Only runs in which this agent took part."
    ),
    click.option("--model", metavar="NAME", help="Only runs in which this model was called."),
    click.option("--service", metavar="NAME", help="Only with spans of this service."),
    click.option("--environment", metavar="NAME", help="Only of this environment: production."),
    click.option("--user", "user_id", metavar="ID", help="Only for this user."),
    click.option("--tag", metavar="TAG", help="Only with this tag."),
    click.option(
        "--conversation", "conversation_id", metavar="ID", help="Only of this conversation."
    ),
    click.option(
        "--errors/--no-errors",
        "has_error",
        default=None,
        help="Only those that failed, or did not.",
    ),
    click.option(
        "--outcome",
        type=click.Choice([str(one) for one in Outcome]),
        help="Only those that went like this.",
    ),
    click.option(
        "--all",
        "everything",
        is_flag=True,
        help="Also runs that repeat another, and traces without a step: health checks and the "
        "like.",
    ),
)
_NAMES = (
    *(
        "project",
        "where",
        "since",
        "until",
        "status",
        "root_name",
        "agent_name",
        "model",
        "service",
    ),
    *("environment", "user_id", "tag", "conversation_id", "has_error", "outcome"),
)


def run_filters(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options, and hand the command their values as ``filters`` of the client."""

    @wraps(command)
    def with_filters(*args: Any, everything: bool, **kwargs: Any) -> None:
        filters = {name: kwargs.pop(name) for name in _NAMES}
        filters["is_duplicate"] = None if everything else False
        filters["has_steps"] = None if everything else True
        command(*args, filters=filters, **kwargs)

    return reduce(lambda wrapped, option: option(wrapped), reversed(_OPTIONS), with_filters)


def words_option(command: Callable[..., None]) -> Callable[..., None]:
    """Add ``--words``, for commands that give runs which are there already."""
    return click.option(
        "--words",
        metavar="WORDS",
        help='Only runs in which a step said this: refund "rate limit" kubern*.',
    )(command)


def order_option(command: Callable[..., None]) -> Callable[..., None]:
    """Add ``--order``, for commands that give runs one after the other."""
    return click.option(
        "--order",
        metavar="FIELD",
        help="In this order in place of the newest first: -duration is the longest first.",
    )(command)
