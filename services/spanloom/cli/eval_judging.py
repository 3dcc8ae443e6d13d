"""Reads the runs that ``spanloom eval run`` judges, one after the other, and sends the results."""

from __future__ import annotations

import gc
import sys
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from spanloom.cli.client import ServiceError
from spanloom.cli.eval_files import FileError
from spanloom.cli.exchanging import source_of_file
from spanloom.client.async_client import AsyncClient
from spanloom.client.calls.lists import trajectories
from spanloom.client.errors import ClientError, InvalidParameterError, NotFoundError
from spanloom.client.evaluating.files import items_of_file, runs_of_file
from spanloom.client.evaluating.given import Unread
from spanloom.client.evaluating.sending import rows_of
from spanloom.client.evaluating.stored import RunPlace, runs_at, stored_runs
from spanloom.client.evaluating.targets import judge_targets
from spanloom.client.moments import milliseconds_of
from spanloom.client.transfer.datasets import list_items
from spanloom.client.transfer.scores import ServiceScores, send_scores
from spanloom.client.tries import Patience
from spanloom.core.errors import InvalidRequestError
from spanloom.core.showing.values import counted, printable
from spanloom.evaluation.contract.errors import ErrorCode
from spanloom.evaluation.contract.estimate import total
from spanloom.evaluation.files.config.text import ConfigError
from spanloom.evaluation.files.items import read_item
from spanloom.evaluation.files.judging import Judgement
from spanloom.terminal.live import Counting

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from spanloom.client.calls.walks import Listing
    from spanloom.client.client import Client
    from spanloom.client.evaluating.given import Given
    from spanloom.client.evaluating.targets import Target
    from spanloom.core.records.run import Run
    from spanloom.evaluation.files.config.reading import Config


_COLLECTED_AT = 100_000
"""New objects after which the cycle collector runs: about as many as 100 documents have."""


class Targeted(NamedTuple):
    """A target, and the number of times that it is run on each item."""

    target: Target
    repeats: int
    timeout_s: float


class JudgingRequest(NamedTuple):
    """The evaluators, and the source of the runs to judge."""

    file: Path
    config: Config
    client: Client
    runs_file: Path | None
    format: str | None
    """The format of a file of runs; ``None`` to detect it."""
    items_file: Path | None
    dataset: tuple[str, int | None] | None = None
    """Name and version of a dataset; without a version, the last version."""
    targeted: Targeted | None = None
    """The target to run on the items; if it is ``None``, existing runs are judged."""
    sends: bool = False
    """Whether the results are sent to the service as scores."""


class Ended(NamedTuple):
    """The results, and why they may be incomplete."""

    judgement: Judgement
    broken_off: str = ""
    is_interrupted: bool = False


def judge_all(request: JudgingRequest) -> Ended:
    """Judge all runs; return the results so far after Ctrl-C, or if the service does not answer.

    Raises ``click.ClickException`` for an invalid query of runs.
    """
    try:
        judgement = begun(request)
    except ClientError as error:
        return Ended(Judgement(request.config.evaluators), ServiceError(error).message)
    try:
        if request.targeted is not None:
            _judge_answers(request, judgement, *request.targeted)
        else:
            with closing(_runs(request, judgement)) as runs:
                _judge(runs, judgement, has_end=_has_end(request))
    except KeyboardInterrupt:
        return Ended(judgement, is_interrupted=True)
    except InvalidParameterError as error:
        raise FileError(request.file, request.config.error("runs", str(error))) from error
    except ClientError as error:
        return Ended(judgement, ServiceError(error).message)
    judgement.finish()
    return Ended(judgement)


def plan_of(request: JudgingRequest) -> dict[str, Any]:  # JSON values
    """Return what would be judged, without judging; raises ``click.ClickException``."""
    judgement = begun(request)
    with closing(_runs(request, judgement)) as runs:
        each = [judgement.estimate(one.run) for one in runs if not isinstance(one.run, Unread)]
    estimate = total(each)
    return {
        "name": request.config.name,
        "runs": len(each),
        "items": len(judgement.items),
        "evaluators": [one.name for one in request.config.evaluators],
        "scores": list(request.config.scores),
        "gates": len(request.config.gates),
        **estimate._asdict(),
    }


def send_all(client: Client, config: Config, judgement: Judgement) -> str:
    """Store the results as scores; return why some were not stored, empty if all were."""
    rows = rows_of(judgement.rows(), config.evaluators, config.name)
    try:
        done = send_scores(ServiceScores(client), rows)
    except ClientError as error:
        return f"the scores were not sent: {ServiceError(error).message}"
    click.echo(f"{counted(done.stored, 'score')} of {printable(config.name)} stored", err=True)
    if not done.refused_scores:
        return ""
    first = done.refused[0]
    refused = counted(done.refused_scores, "score")
    return f"{refused} refused, the first of them {first['place']}: {first['reason']}"


def _judge(runs: Iterator[Given], judgement: Judgement, *, has_end: bool) -> None:
    gc.set_threshold(_COLLECTED_AT)  # the steps of a document refer to each other
    with Counting(sys.stderr, "runs judged", 1 if has_end else None) as counting:
        for run, share in runs:
            if isinstance(run, Unread):
                judgement.refuse(f"runs: {run.place}", ErrorCode.UNREADABLE_RUN, run.reason)
            else:
                judgement.take(run)
            counting.show(judgement.runs, done=share)


def _judge_answers(
    request: JudgingRequest, judgement: Judgement, target: Target, repeats: int, timeout_s: float
) -> None:
    project = request.config.file.runs.project if request.config.file.runs else None
    with Counting(sys.stderr, "tries judged", len(judgement.items) * repeats) as counting:
        judge_targets(
            request.client,
            judgement,
            target,
            repeats=repeats,
            timeout_s=timeout_s,
            project=project,
            on_run=counting.show,
        )


def _has_end(request: JudgingRequest) -> bool:
    runs = request.config.file.runs
    return request.runs_file is not None or runs is None or runs.limit is not None


def begun(request: JudgingRequest) -> Judgement:
    """Return a judgement that has only the items; raises ``click.UsageError`` if none is valid."""
    judgement = Judgement(request.config.evaluators, has_fingerprints=request.sends)
    if request.dataset is not None:
        _fill_from(request, judgement, *request.dataset)
    if request.items_file is None:
        return judgement
    unread = list(_fill(judgement, request.items_file))
    for place, reason in unread:
        judgement.refuse(f"items: {place}", ErrorCode.UNREADABLE_EXPECTED, reason)
    if unread and not len(judgement.items):
        name = printable(str(request.items_file))
        raise click.UsageError(f"--items {name}: {unread[0].place}: {unread[0].reason}")
    return judgement


def _fill_from(
    request: JudgingRequest, judgement: Judgement, name: str, version: int | None
) -> None:
    """Add the items of a dataset.

    Raises ``ClientError``, and ``click.UsageError`` if the dataset is missing.
    """
    runs = request.config.file.runs
    project = None if runs is None else runs.project
    try:
        if version is None:
            versions = request.client.dataset(name, project=project).versions
            if not versions:
                raise click.UsageError(
                    f"--dataset {printable(name)}: it has no version; `spanloom datasets commit` "
                    "makes one"
                )
            version = versions[-1].version
        for row in list_items(request.client, name, version=version, project=project):
            judgement.items.add(read_item(row))
    except NotFoundError as error:
        raise click.UsageError(f"--dataset {printable(name)}: {error}") from error


def _fill(judgement: Judgement, path: Path) -> Iterator[Unread]:
    """Add the items of a file, and yield the invalid rows."""
    for found in items_of_file(path):
        if isinstance(found, Unread):
            yield found
            continue
        try:
            judgement.items.add(found)
        except InvalidRequestError as error:
            yield Unread(f"item {found.item_key}", str(error))


def _runs(request: JudgingRequest, judgement: Judgement) -> Generator[Given]:
    """Yield the runs of the file or of the query, or the runs from which the items were made."""
    if request.runs_file is not None:
        source = source_of_file(request.runs_file, request.format, "--format")
        if source.fault:
            name = printable(str(request.runs_file))
            raise click.UsageError(f"--runs {name}: {source.fault}")
        yield from runs_of_file(request.runs_file, source, None)
    elif request.config.file.runs is not None:
        yield from stored_runs(request.client, _listing(request))
    elif request.items_file is not None or request.dataset is not None:
        places = dict.fromkeys(_places(judgement))
        yield from runs_at(lambda: connected(request.client), places)
    else:
        raise FileError(
            request.file,
            request.config.error("runs", "which runs? Name them here, or a file by --runs"),
        )


def _places(judgement: Judgement) -> Iterator[RunPlace]:
    for item in judgement.items:
        if item.source is not None and item.trace_id:
            yield RunPlace(item.trace_id, item.source.project)


def connected(client: Client) -> AsyncClient:
    """Return an asynchronous client of the same service."""
    return AsyncClient(client.url, tries=Patience.tries)


def _listing(request: JudgingRequest) -> Listing[Run]:
    runs = request.config.file.runs
    assert runs is not None  # noqa: S101  # checked by the callers
    try:
        request.config.check_question()
    except ConfigError as error:
        raise FileError(request.file, error) from error
    times: dict[str, int | None] = {}
    for name in ("since", "until"):
        text = getattr(runs, name)
        try:
            times[name] = None if text is None else milliseconds_of(text)
        except ValueError as error:
            raise FileError(
                request.file, request.config.error(f"runs.{name}", str(error))
            ) from error
    return trajectories(
        runs.where,
        limit=runs.limit,
        project=runs.project,
        since=times["since"],
        until=times["until"],
        has_steps=True,
    )
