"""The client as an option of commands; its errors become one line for the user."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from spanloom.client.address import DEFAULT_URL, to_url
from spanloom.client.client import Client
from spanloom.client.errors import (
    ClientError,
    InvalidParameterError,
    StatementError,
    TimedOutError,
    UnauthenticatedError,
    UnavailableError,
    UnreachableError,
)
from spanloom.client.moments import milliseconds_of
from spanloom.client.tries import Patience
from spanloom.core.showing.values import printable

if TYPE_CHECKING:
    from collections.abc import Callable

Command = TypeVar("Command", bound="Callable[..., Any]")

LOOK_S = 1.0
"""Seconds between two requests of a command that follows a run."""

_HINTS: dict[type[ClientError], str] = {
    UnreachableError: "; start it with `{start}`, or name its address with {option}",
    UnauthenticatedError: "; put a key into SPANLOOM_API_KEY",
}

_EXIT_CODES = (
    ((InvalidParameterError, StatementError), 2),
    ((UnreachableError, TimedOutError, UnavailableError), 3),
)
"""2: an invalid request; 3: no service answers, or it is unavailable; 1: all other errors."""


class ServiceError(click.ClickException):
    """A service did not respond, or refused a request; errors in a query follow the message."""

    def __init__(
        self,
        error: ClientError,
        address_option: str = "--api-url",
        start: str = "spanloom serve",
    ) -> None:
        """Copy message and exit status from the error.

        ``start`` is the command that starts the service.
        """
        line, *below = map(printable, str(error).split("\n"))
        hint = _HINTS.get(type(error), "").format(option=address_option, start=start)
        super().__init__(line.rstrip(".") + hint if hint else line)
        self.below = below
        status = next((code for kind, code in _EXIT_CODES if isinstance(error, kind)), 1)
        self.exit_code = status  # type: ignore[misc]  # click reads this attribute


def client_option(command: Callable[..., None]) -> Callable[..., None]:
    """Add ``--api-url``, and pass the command a ``client`` of that service that never retries."""
    return _client_option(command, tries=1)


def patient_client_option(command: Callable[..., None]) -> Callable[..., None]:
    """Add the same option for long commands: the client retries while the service is busy."""
    return _client_option(command, tries=Patience.tries)


def _client_option(command: Callable[..., None], tries: int) -> Callable[..., None]:
    @wraps(command)
    def with_client(*args: Any, api_url: str, **kwargs: Any) -> None:
        try:
            with Client(api_url, tries=tries) as client:
                command(*args, client=client, **kwargs)
        except ClientError as error:
            raise ServiceError(error) from error

    return click.option(
        "--api-url",
        metavar="URL",
        callback=to_url_option,
        envvar="SPANLOOM_API_URL",
        default=DEFAULT_URL,
        show_default=True,
        help="URL of the service; also SPANLOOM_API_URL. Its key: SPANLOOM_API_KEY.",
    )(with_client)


def time_options(subject: str) -> Callable[[Command], Command]:
    """Add ``--since`` and ``--until``, passed on as milliseconds since the epoch."""

    def add(command: Command) -> Command:
        command = click.option(
            "--until",
            metavar="WHEN",
            callback=to_milliseconds,
            help=f"{subject} before; like --since.",
        )(command)
        return click.option(
            "--since",
            metavar="WHEN",
            callback=to_milliseconds,
            help=f"{subject} at or after: 30m, 2h or 7d ago, yesterday, a date, a time.",
        )(command)

    return add


def to_milliseconds(_ctx: click.Context, _param: click.Parameter, text: str | None) -> int | None:
    """Return milliseconds since the epoch; raises ``click.BadParameter`` for an invalid time."""
    try:
        return None if text is None else milliseconds_of(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def to_url_option(_ctx: click.Context, _param: click.Parameter, text: str | None) -> str | None:
    """Return a URL; raises ``click.BadParameter`` if it is invalid."""
    try:
        return None if text is None else to_url(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def project_option(command: Command) -> Command:
    """Add ``--project``: the project of the object that the command names."""
    return click.option("--project", metavar="NAME", help="Of this project.")(command)


def annotator_option(command: Command) -> Command:
    """Add ``--annotator``: who makes the change, for a service without keys."""
    return click.option(
        "--annotator", metavar="NAME", help="Name of the person, which is not verified."
    )(command)
