"""Targets: agents that are run on the items of a dataset, and send their spans to a service.

Each try gets a new trace id, by which its run is found. All tries are made before their runs are
awaited, so that the waiting times do not add up.
"""

from __future__ import annotations

import json
import os
import secrets
import shlex
import subprocess
import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from spanloom.client.calls import runs
from spanloom.client.errors import NotFoundError
from spanloom.client.http_library import httpx
from spanloom.core.document import Document
from spanloom.core.errors import InvalidRequestError
from spanloom.core.model.trajectory import Status
from spanloom.evaluation.contract.errors import ErrorCode
from spanloom.evaluation.files.judging import run_to_judge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager

    from spanloom.client.client import Client
    from spanloom.evaluation.files.items import Item
    from spanloom.evaluation.files.judging import Judgement, RunToJudge

    Target = Callable[[Any, "Place"], str]
    """Runs the agent on the input of an item (JSON); returns an error message, empty on success."""

TIMEOUT_S = 600.0
"""Maximum seconds of one try, and of the wait for its run."""
_AFTER_FAULT_S = 90.0
"""Seconds to wait for the run of a failed target, because the target may have sent spans."""
_LOOK_S = 1.0
_ENDED = frozenset({Status.SETTLED.value, Status.PARTIAL.value, Status.FAILED.value})
_LONGEST = 500


class Place(NamedTuple):
    """The trace and the parent span to which the spans of a try belong."""

    trace_id: str
    span_id: str

    @property
    def traceparent(self) -> str:
        """Trace and parent span as the value of the W3C header or environment variable."""
        return f"00-{self.trace_id}-{self.span_id}-01"


class Tried(NamedTuple):
    """One try of an item."""

    item: Item
    repeat: int
    trace_id: str
    until_s: float
    """Monotonic time until which the run is awaited."""
    fault: str
    """The reason why the target failed; it may still have sent spans."""


def judge_targets(
    client: Client,
    judgement: Judgement,
    target: Target,
    *,
    repeats: int = 1,
    timeout_s: float = TIMEOUT_S,
    project: str | None = None,
    on_run: Callable[[int], None] = lambda _: None,
) -> None:
    """Run a target on all items of a judgement, and judge the runs that the target sent.

    A try without a run becomes an error of its item. Raises ``ClientError``.
    """
    tried = list(_try_all(judgement.items, target, repeats, timeout_s))
    for done, one in enumerate(tried, 1):
        run = _await(client, one, project)
        if run is None:
            judgement.refuse(one.item.item_key, *_missing(one, timeout_s), one.repeat)
        else:
            judgement.take(run, one.item)
        on_run(done)


def command_target(text: str, timeout_s: float = TIMEOUT_S) -> Target:
    """Return a target that runs a command with the input of an item as JSON on standard input.

    ``TRACEPARENT`` is in its environment; its standard output is not read. Raises
    ``InvalidRequestError`` for an invalid command line.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise InvalidRequestError(f"it is no command line: {error}") from error
    if not words:
        raise InvalidRequestError("it is empty")

    def run(value: Any, place: Place) -> str:  # a JSON value
        environment = {**os.environ, "TRACEPARENT": place.traceparent}
        try:
            ended = subprocess.run(  # noqa: S603  # the user's own command
                words,
                input=json.dumps(value).encode(),
                stdout=subprocess.DEVNULL,
                env=environment,
                timeout=timeout_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"the command took longer than {timeout_s:g} s"
        except OSError as error:
            return f"the command cannot be run: {error.strerror}"
        return f"the command ended with {ended.returncode}" if ended.returncode else ""

    return run


def http_target(url: str, timeout_s: float = TIMEOUT_S) -> Target:
    """Return a target that sends the input of an item as JSON to an HTTP endpoint by POST.

    The request has the header ``traceparent``. Any 2xx is a success; its body is not read.
    Redirects are not followed. Raises ``InvalidRequestError`` for an invalid URL.
    """
    try:
        address = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise InvalidRequestError(f"it is no address: {error}") from error
    if address.scheme not in ("http", "https") or not address.host:
        raise InvalidRequestError("write an address that begins with https:// or http://")

    def run(value: Any, place: Place) -> str:  # a JSON value
        headers = {"content-type": "application/json", "traceparent": place.traceparent}
        try:
            with httpx.stream(
                "POST", address, content=orjson.dumps(value), headers=headers, timeout=timeout_s
            ) as answer:
                return "" if answer.is_success else f"the endpoint answered {answer.status_code}"
        except httpx.TimeoutException:
            return f"the endpoint took longer than {timeout_s:g} s"
        except httpx.HTTPError as error:
            return f"the endpoint cannot be called: {type(error).__name__}"

    return run


def callable_target(call: Callable[[Any], object]) -> Target:
    """Return a target that calls a function with the input; its spans join the trace of the try.

    It needs the package ``opentelemetry-api``, as do the agent's own spans.
    """

    def run(value: Any, place: Place) -> str:  # a JSON value
        try:
            with _within(place):
                call(value)
        except Exception as error:  # the user's own code; other tries continue
            return f"{type(error).__name__}: {error}"[:_LONGEST]
        return ""

    return run


def _within(place: Place) -> AbstractContextManager[object]:
    """Return a context in which new spans belong to a trace."""
    try:
        from opentelemetry import trace  # noqa: PLC0415  # only where the agent sends spans
    except ImportError:
        return nullcontext()
    parent = trace.SpanContext(
        int(place.trace_id, 16), int(place.span_id, 16), is_remote=True, trace_flags=_sampled(trace)
    )
    return trace.use_span(trace.NonRecordingSpan(parent))


def _sampled(trace: Any) -> Any:  # OpenTelemetry's module and flags
    return trace.TraceFlags(trace.TraceFlags.SAMPLED)


def _try_all(
    items: Iterable[Item], target: Target, repeats: int, timeout_s: float
) -> Iterator[Tried]:
    for item in items:
        for repeat in range(repeats):
            place = Place(secrets.token_hex(16), secrets.token_hex(8))
            fault = target(item.input, place)
            waits_s = min(timeout_s, _AFTER_FAULT_S) if fault else timeout_s
            yield Tried(item, repeat, place.trace_id, time.monotonic() + waits_s, fault)


def _await(client: Client, tried: Tried, project: str | None) -> RunToJudge | None:
    """Return the run of a try once it has ended; ``None`` if it does not end in time."""
    while True:
        try:
            body = client.ask(runs.document(tried.trace_id, project=project))
        except NotFoundError:
            pass
        else:
            document = orjson.loads(body)
            if Document(document).extraction.status_text in _ENDED:
                return run_to_judge(document, project or "")
        if time.monotonic() >= tried.until_s:
            return None
        time.sleep(_LOOK_S)


def _missing(tried: Tried, timeout_s: float) -> tuple[ErrorCode, str]:
    if tried.fault:
        return ErrorCode.MISSING_RUN, tried.fault
    return ErrorCode.MISSING_RUN, f"no run of trace {tried.trace_id} settled in {timeout_s:g} s"
