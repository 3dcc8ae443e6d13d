"""Arguments and options that several commands share: TRACE_ID, STEP, and filters of runs."""

from __future__ import annotations

import re
from functools import reduce, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
import orjson

from spanloom.cli.client import to_milliseconds
from spanloom.core.document import Document
from spanloom.core.query.where.fields import RUN_FIELDS
from spanloom.core.query.where.problems import resembling
from spanloom.core.records.declared import FieldType
from spanloom.core.records.run_filters import default_filters, run_shorts
from spanloom.core.showing.steps import place_steps
from spanloom.core.showing.values import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from spanloom.client.client import Client
    from spanloom.core.document import DocumentStep
    from spanloom.core.showing.steps import Placed


LATEST = "latest"
_Ids = dict[str, list[str]]
"""Names or models of steps → ids of the steps that have them, ordered by their starts."""

Command = TypeVar("Command", bound="Callable[..., Any]")


def trace_id_argument(command: Command) -> Command:
    """Add the argument TRACE_ID, converted to lower case."""
    return click.argument("trace_id", callback=to_trace_id_or_latest)(command)


def files_argument(*, with_stdin: bool = False) -> Callable[[Command], Command]:
    """Add FILE..., passed on as ``files``; ``-`` (standard input) only if ``with_stdin``."""
    return click.argument(
        "files",
        metavar="FILE...",
        nargs=-1,
        required=True,
        type=click.Path(path_type=Path, allow_dash=with_stdin),
    )


def resolve(trace_id: str, client: Client, project: str | None) -> str:
    """Return the trace id; for `latest`, the id of the newest run.

    Traces without a step, and duplicates of others, count only if there is no other trace.
    """
    if trace_id != LATEST:
        return trace_id
    for filters in ({}, {"has_steps": None}):
        for run in client.trajectories(limit=1, project=project, **filters):
            return run.trace_id
    raise click.ClickException(
        f"there are no trajectories at {client.url} yet; `spanloom instrument` shows how to "
        "send spans"
    )


def to_trace_id(_ctx: click.Context, _param: click.Parameter, text: str | None) -> str | None:
    """Return the id in lower case; raises ``click.BadParameter`` if it is not a trace id."""
    if text is not None and not re.fullmatch("[0-9a-fA-F]{32}", text):
        raise click.BadParameter(f"{text!r} is not 32 hex digits")
    return text and text.lower()


def to_trace_id_or_latest(_ctx: click.Context, _param: click.Parameter, text: str) -> str:
    """Return the id in lower case, or `latest`; raises ``click.BadParameter`` for anything else."""
    trace_id = text.lower()
    if trace_id != LATEST and not re.fullmatch("[0-9a-f]{32}", trace_id):
        raise click.BadParameter(f"{text!r} is neither 32 hex digits nor `{LATEST}`")
    return trace_id


_ID = re.compile("[0-9a-fA-F]{16}")
_PLACE = re.compile(r"(agent|model|tool|graph|)-?(\d{1,6})")


def find_step_id(text: str, trace_id: str, client: Client, project: str | None) -> str:
    """Return a step's id: ``model3`` is the third model call, ``7`` the seventh step.

    ``search`` is the first step with this name, ``search2`` the second. Numbers count steps
    in the order of their starts, as in the outline. If no step has the name, it is searched without
    regard to case, then among models; the root can be named too.

    Raises ``click.BadParameter`` for any other text, and for a number beyond the last step.
    """
    if _ID.fullmatch(text):
        return text
    document = orjson.loads(client.document(trace_id, project=project))
    steps = place_steps(document)
    place = _PLACE.fullmatch(text)
    if place is not None:
        return _placed(place[1], int(place[2]), steps)
    return _named(text, [*(own.step for own in steps), Document(document).root])


def _named(text: str, steps: Sequence[DocumentStep]) -> str:
    """Return the id of the step that ``text`` names: a name or model, then perhaps a number."""
    names = _ids_by("name", steps)
    models = _ids_by("model", steps)
    for called, wanted in ((names, text), (_lower(names), text.lower()), (models, text)):
        if step_id := _numbered(wanted, called):
            return step_id
    near = resembling(text, names)
    suggestion = f"; did you mean {near[0]}?" if near else ""
    raise click.BadParameter(
        f"{text!r} is not the id or name of a step, nor like `model3`, `tool1` or `7`{suggestion}"
    )


def _ids_by(attribute: str, steps: Sequence[DocumentStep]) -> _Ids:
    ids: _Ids = {}
    for step in steps:
        if name := getattr(step, attribute):
            ids.setdefault(name, []).append(step.id)
    return ids


def _lower(called: _Ids) -> _Ids:
    lowered: _Ids = {}
    for name, ids in called.items():
        lowered.setdefault(name.lower(), []).extend(ids)
    return lowered


def _numbered(text: str, called: _Ids) -> str:
    """Return the id for a name in ``called``, perhaps with a number added; empty if unknown."""
    if text in called:
        return called[text][0]
    for name, ids in called.items():
        number = text.removeprefix(name).removeprefix("-") if text.startswith(name) else ""
        if number.isdecimal() and 1 <= int(number) <= len(ids):
            return ids[int(number) - 1]
    return ""


def _placed(kind: str, number: int, steps: Sequence[Placed]) -> str:
    ids = [own.step.id for own in steps if kind in ("", own.step.type)]
    if not 1 <= number <= len(ids):
        of_kind = f" of the type {kind}" if kind else ""
        raise click.BadParameter(f"the run has {counted(len(ids), 'step')}{of_kind}")
    return ids[number - 1]


def to_moment(ctx: click.Context, param: click.Parameter, text: str | None) -> str | None:
    """Return the text, which the client parses; raises ``click.BadParameter`` if it is invalid."""
    to_milliseconds(ctx, param, text)
    return text


def _options() -> Iterator[Callable[..., Any]]:
    """Yield the options that filter runs: one per short form of a ``where``, and some others."""
    yield click.option("--project", metavar="NAME", help="Only of this project.")
    yield click.option("--where", metavar="QUERY", help="Only runs that match this query.")
    for name, short in run_shorts().items():
        if short.option:
            yield click.option(
                f"--{name.replace('_', '-')}", name, help=short.option, **_kind(name)
            )
    yield click.option(
        "--errors/--no-errors",
        "has_error",
        default=None,
        help="Only runs that failed, or only runs that did not.",
    )
    yield click.option(
        "--all",
        "everything",
        is_flag=True,
        help="Also runs that repeat another, and traces without a step, such as health checks.",
    )


def _kind(name: str) -> dict[str, Any]:
    """Return click arguments for a filter: its type, or its placeholder and callback."""
    field = RUN_FIELDS[run_shorts()[name].field or name]
    if field.type is FieldType.TIME:
        return {"metavar": "WHEN", "callback": to_moment}
    if field.choices:
        return {"type": click.Choice(field.choices)}
    return {"metavar": _METAVARS.get(name, "NAME")}


_METAVARS = {"user": "ID", "conversation": "ID", "tag": "TAG"}
_NAMES = ("project", "where", "has_error", *(n for n, s in run_shorts().items() if s.option))


def run_filters(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that filter runs; the command gets them as ``filters`` for the client."""

    @wraps(command)
    def with_filters(*args: Any, everything: bool, **kwargs: Any) -> None:
        filters = {name: kwargs.pop(name) for name in _NAMES}
        filters |= {name: None if everything else on for name, on in default_filters().items()}
        command(*args, filters=filters, **kwargs)

    return reduce(lambda wrapped, option: option(wrapped), reversed(list(_options())), with_filters)


def words_option(command: Callable[..., None]) -> Callable[..., None]:
    """Add ``--words``, for commands that list stored runs."""
    return click.option(
        "--words",
        metavar="WORDS",
        help='Only runs with these words in one text of a step: refund "rate limit" kubern*.',
    )(command)


def order_option(command: Callable[..., None]) -> Callable[..., None]:
    """Add ``--order``, for commands that list runs or steps in an order."""
    return click.option(
        "--order",
        metavar="FIELD",
        help="In this order instead of newest first: -duration is longest first.",
    )(command)
