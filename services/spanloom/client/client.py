"""Asks a running service over its HTTP API; results are the objects of ``models.py``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Self, TypeVar
from urllib.parse import quote, urlsplit

from pydantic import BaseModel, ValidationError

from spanloom.client.errors import NotSpanloomError
from spanloom.client.models import (
    ConversationSummary,
    Deletion,
    Diagnosis,
    ItemT,
    Page,
    Replay,
    Snapshot,
    SpanList,
    SpanVerdict,
    TextHit,
    Trajectory,
    TrajectorySummary,
)
from spanloom.client.moments import milliseconds_of
from spanloom.client.transport import Transport

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import httpx

    from spanloom.client.moments import Moment
    from spanloom.client.transport import Tagged
    from spanloom.core.model.trajectory import Outcome, Status

DEFAULT_URL = "http://127.0.0.1:8080"
PAGE_ITEMS = 1_000
"""The most that the API gives at one time."""
PAGE_HITS = 200
"""The same of a search."""

_Parameters = dict[str, str | int | bool | None]
_Answer = TypeVar("_Answer", bound=BaseModel)


class Client:
    """The API of one service; may be used by one thread at a time.

    ```python
    with Client("http://traces.internal:8080") as client:
        for run in client.trajectories(since="2h", has_error=True):
            print(run.trace_id, run.root_name, run.duration)
    ```

    Every method raises ``ClientError``: ``UnreachableError``, ``NotFoundError`` and so on.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        api_key: str | None = None,
        timeout_s: float = 30.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Name the service; nothing is asked yet.

        Without ``url`` it is ``SPANLOOM_API_URL``, else ``http://127.0.0.1:8080``; without
        ``api_key`` it is ``SPANLOOM_API_KEY``, else none is sent. ``timeout_s`` bounds each
        request; ``transport`` replaces the network. Raises ``ValueError`` for what is no address.
        """
        self.url = to_url(url or os.environ.get("SPANLOOM_API_URL") or DEFAULT_URL)
        key = os.environ.get("SPANLOOM_API_KEY", "") if api_key is None else api_key
        self._transport = Transport(self.url, key, timeout_s, transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections; a closed client is not used again."""
        self._transport.close()

    def trajectories(
        self,
        *,
        limit: int | None = None,
        project: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        status: Status | str | None = None,
        root_name: str | None = None,
        has_error: bool | None = None,
        outcome: Outcome | str | None = None,
        is_duplicate: bool | None = False,
        has_steps: bool | None = None,
        agent_name: str | None = None,
        conversation_id: str | None = None,
        model: str | None = None,
        service: str | None = None,
        environment: str | None = None,
        user_id: str | None = None,
        tag: str | None = None,
    ) -> Iterator[TrajectorySummary]:
        """Yield runs that pass every filter, newest first, page by page as they are needed.

        ``limit`` is the most to yield, all by default. ``since`` is the earliest start and
        ``until`` the first one too late: ``"2h"`` ago, a date, a ``datetime`` or milliseconds.
        Runs that only repeat another are left out, unless ``is_duplicate`` is ``True`` (those
        alone) or ``None`` (those too).
        """
        return self._pages(
            Page[TrajectorySummary],
            "/v1/trajectories",
            limit,
            {
                "project": project,
                "from": _milliseconds(since),
                "to": _milliseconds(until),
                "status": status,
                "root_name": root_name,
                "has_error": has_error,
                "outcome": outcome,
                "is_duplicate": _or_any(is_duplicate),
                "has_steps": has_steps,
                "agent_name": agent_name,
                "conversation_id": conversation_id,
                "model": model,
                "service": service,
                "environment": environment,
                "user_id": user_id,
                "tag": tag,
            },
        )

    def conversations(
        self,
        *,
        limit: int | None = None,
        project: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        service: str | None = None,
        environment: str | None = None,
        user_id: str | None = None,
    ) -> Iterator[ConversationSummary]:
        """Yield conversations in which a run passes every filter, by their newest such run."""
        filters: _Parameters = {
            "project": project,
            "from": _milliseconds(since),
            "to": _milliseconds(until),
            "service": service,
            "environment": environment,
            "user_id": user_id,
        }
        return self._pages(Page[ConversationSummary], "/v1/conversations", limit, filters)

    def conversation(
        self,
        conversation_id: str,
        *,
        project: str | None = None,
        limit: int | None = None,
        is_duplicate: bool | None = False,
        has_steps: bool | None = None,
    ) -> Iterator[TrajectorySummary]:
        """Yield the runs of a conversation, oldest first, page by page as they are needed."""
        path = f"/v1/conversations/{_segment(conversation_id)}"
        filters: _Parameters = {
            "project": project,
            "is_duplicate": _or_any(is_duplicate),
            "has_steps": has_steps,
        }
        return self._pages(Page[TrajectorySummary], path, limit, filters)

    def search(
        self,
        words: str,
        *,
        parts: Sequence[str] = (),
        limit: int | None = None,
        project: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
    ) -> Iterator[TextHit]:
        """Yield texts that have every word and ``"phrase"``, newest run first (docs/search.md).

        ``parts`` are ``input``, ``output`` and ``error``; without any, all. ``since`` and ``until``
        are of the runs, as in ``trajectories``.
        """
        filters: _Parameters = {
            "q": words,
            "in": ",".join(parts) or None,
            "project": project,
            "from": _milliseconds(since),
            "to": _milliseconds(until),
        }
        return self._pages(Page[TextHit], "/v1/search", limit, filters, most=PAGE_HITS)

    def trajectory(self, trace_id: str, *, project: str | None = None) -> Trajectory:
        """Return the newest version of a run, with all its steps."""
        return self._read(Trajectory, self.document(trace_id, project=project))

    def document(self, trace_id: str, *, project: str | None = None) -> bytes:
        """Return a run's canonical JSON document, byte for byte as the API answers it."""
        return self._get(f"/v1/trajectories/{_segment(trace_id)}", {"project": project})

    def newer_document(
        self, trace_id: str, etag: str, *, project: str | None = None
    ) -> Tagged | None:
        """Return the document with its tag, or ``None`` if it is still the one of ``etag``.

        An empty tag always gives it. Asked again and again, a run that is live is followed with
        small requests.
        """
        path = f"/v1/trajectories/{_segment(trace_id)}"
        return self._transport.ask_again(path, _given({"project": project}), etag)

    def latest(self, *, project: str | None = None) -> Trajectory:
        """Return the run that began last; raises ``NotFoundError`` if there is none."""
        return self._read(Trajectory, self._get("/v1/trajectories/latest", {"project": project}))

    def step_document(
        self, trace_id: str, step_id: str, *, project: str | None = None, parsed: bool = False
    ) -> bytes:
        """Return one step of a run as JSON, with the id of the agent that owns it.

        ``parsed`` gives messages, arguments and results as JSON instead of JSON in texts.
        """
        path = f"/v1/trajectories/{_segment(trace_id)}/steps/{_segment(step_id)}"
        return self._get(path, {"project": project, "texts": "parsed" if parsed else None})

    def sent_span(self, trace_id: str, span_id: str, *, project: str | None = None) -> bytes:
        """Return one span as it was sent, with its resource and scope, as OTLP JSON."""
        path = f"/v1/trajectories/{_segment(trace_id)}/spans/{_segment(span_id)}"
        return self._get(path, {"project": project})

    def otlp(self, trace_id: str, *, project: str | None = None) -> bytes:
        """Return every stored span of a trace as it was sent, as OTLP JSON."""
        return self._get(f"/v1/trajectories/{_segment(trace_id)}/otlp", {"project": project})

    def spans(self, trace_id: str, *, project: str | None = None) -> list[SpanVerdict]:
        """Return what became of each stored span of a trace, by (start, span id)."""
        return self._read(SpanList, self.spans_document(trace_id, project=project)).spans

    def spans_document(self, trace_id: str, *, project: str | None = None) -> bytes:
        """Return the same as JSON, as the API answers it."""
        path = f"/v1/trajectories/{_segment(trace_id)}/spans"
        return self._get(path, {"project": project})

    def diff_document(
        self,
        a: str,
        b: str,
        *,
        project: str | None = None,
        other_project: str | None = None,
        every: bool = False,
        whole_texts: bool = False,
    ) -> bytes:
        """Return what differs between two runs, as JSON (docs/api.md, "Diff").

        With ``every`` the steps that are the same too, with ``whole_texts`` all of each text.
        """
        path = f"/v1/trajectories/{_segment(a)}/diff/{_segment(b)}"
        return self._get(
            path,
            {
                "project": project,
                "other_project": other_project,
                "every": every,
                "whole_texts": whole_texts,
            },
        )

    def request_replay(
        self,
        *,
        project: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        dialect: str | None = None,
        outdated: bool = False,
    ) -> Replay:
        """Ask the service to build stored runs again: all, or those that pass every filter."""
        params: _Parameters = {
            "project": project,
            "from": _milliseconds(since),
            "to": _milliseconds(until),
            "dialect": dialect,
            "outdated": outdated or None,
        }
        return self._read(Replay, self._transport.ask("POST", "/v1/replays", _given(params)))

    def replay(self, replay_id: str) -> Replay:
        """Return how far a replay has come."""
        return self._read(Replay, self._get(f"/v1/replays/{_segment(replay_id)}", {}))

    def delete(
        self,
        *,
        trace_id: str | None = None,
        project: str | None = None,
        conversation_id: str | None = None,
        before: Moment | None = None,
        dry_run: bool = False,
    ) -> Deletion:
        """Delete the traces that meet every condition, or only count them (``dry_run``)."""
        params: _Parameters = {
            "trace_id": trace_id,
            "project": project,
            "conversation_id": conversation_id,
            "before": _milliseconds(before),
            "dry_run": dry_run or None,
        }
        return self._read(Deletion, self._transport.ask("POST", "/v1/deletions", _given(params)))

    def diagnosis(self) -> Diagnosis:
        """Return what the service found when it examined itself; needs the scope admin."""
        return self._read(Diagnosis, self._get("/v1/doctor", {}))

    def take_snapshot(self) -> Snapshot:
        """Have the service hold its tables as they are, for ``spanloom backup`` on its machine."""
        return self._read(Snapshot, self._transport.ask("POST", "/v1/snapshots", {}))

    def _pages(
        self,
        page: type[Page[ItemT]],
        path: str,
        limit: int | None,
        filters: _Parameters,
        most: int = PAGE_ITEMS,
    ) -> Iterator[ItemT]:
        """Follow ``next_cursor`` until there is none; a short page is not the end."""
        cursor: str | None = None
        left = limit
        while left is None or left > 0:
            size = most if left is None else min(left, most)
            body = self._get(path, {**filters, "limit": size, "cursor": cursor})
            found = self._read(page, body)
            yield from found.items
            cursor = found.next_cursor
            if cursor is None:
                return
            left = None if left is None else left - len(found.items)

    def _read(self, answer: type[_Answer], body: bytes) -> _Answer:
        try:
            return answer.model_validate_json(body)
        except ValidationError as error:
            raise NotSpanloomError(
                f"what answers at {self.url} answers otherwise than Spanloom: {error}"
            ) from error

    def _get(self, path: str, params: _Parameters) -> bytes:
        return self._transport.ask("GET", path, _given(params))


def to_url(text: str) -> str:
    """Return an address without the slash that may end it, ``http://`` added where it lacks.

    Raises ``ValueError`` for what is no address.
    """
    url = text if "://" in text else f"http://{text}"
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ValueError(f"{text!r} is no address; write it like {DEFAULT_URL}")
    return url.rstrip("/")


def _segment(text: str) -> str:
    """Write a text as one segment of a path, also if it is ``..`` or holds slashes."""
    return quote(text, safe="").replace(".", "%2E")


def _or_any(wanted: bool | None) -> bool | str:
    """Return what asks for a filter that is on without a word: ``any`` has it off."""
    return "any" if wanted is None else wanted


def _milliseconds(moment: Moment | None) -> int | None:
    return None if moment is None else milliseconds_of(moment)


def _given(params: _Parameters) -> dict[str, str]:
    """Write the parameters that are set as the API reads them: ``true``, not ``True``."""
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in params.items()
        if value is not None
    }
