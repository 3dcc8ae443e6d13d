"""Calls about runs: a run's document, steps and spans, and the diff of two runs."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from spanloom.client.models import Diff, Trajectory
from spanloom.client.request import NOT_MODIFIED, OK, Call, Reply, body_of, get, segment
from spanloom.core.formats.entry import Of
from spanloom.core.formats.registry import formats_of
from spanloom.core.records.span import SpanList, SpanVerdict

PROTOBUF = "application/x-protobuf"


class Tagged(NamedTuple):
    """A response body and its ETag, for a later conditional request."""

    body: bytes
    etag: str


def trajectory(trace_id: str, *, project: str | None = None) -> Call[Trajectory]:
    """Return the newest version of a run, with all its steps."""
    return Call(document(trace_id, project=project).request, _trajectory)


def latest(*, project: str | None = None) -> Call[Trajectory]:
    """Return the run that began last; raises ``NotFoundError`` if there is none."""
    return Call(get("/v1/trajectories/latest", project=project), _trajectory)


def document(
    trace_id: str,
    *,
    project: str | None = None,
    format: str | None = None,  # noqa: A002  # the API's name
) -> Call[bytes]:
    """Return a run's canonical JSON document, byte for byte as the API returns it.

    ``format="coze"`` returns the document that Coze Loop's published code builds from the same
    steps; ``docs/formats`` describes the other formats.
    """
    request = get(_place(trace_id), project=project, format=format)
    known_format = formats_of(Of.RUN).get(format or "")
    return Call(
        replace(request, media_type=known_format.media_type) if known_format else request, body_of
    )


def newer_document(trace_id: str, etag: str, *, project: str | None = None) -> Call[Tagged | None]:
    """Return the document and its ETag, or ``None`` if ``etag`` is still current.

    An empty ``etag`` always returns the document. Polling a live run this way costs only small
    requests while nothing changes.
    """
    request = replace(
        get(_place(trace_id), project=project),
        headers={"If-None-Match": etag} if etag else {},
        expected=frozenset({OK, NOT_MODIFIED}),
    )
    return Call(request, _tagged)


def step_document(
    trace_id: str, step_id: str, *, project: str | None = None, parsed: bool = False
) -> Call[bytes]:
    """Return one step of a run as JSON, with the id of the agent step to which it belongs.

    ``parsed`` returns messages, arguments and results as JSON instead of as strings of JSON.
    """
    path = f"{_place(trace_id)}/steps/{segment(step_id)}"
    return Call(get(path, project=project, texts="parsed" if parsed else None), body_of)


def sent_span(trace_id: str, span_id: str, *, project: str | None = None) -> Call[bytes]:
    """Return one span as it was sent, with its resource and scope, as OTLP JSON."""
    return Call(get(f"{_place(trace_id)}/spans/{segment(span_id)}", project=project), body_of)


def otlp(trace_id: str, *, project: str | None = None) -> Call[bytes]:
    """Return every stored span of a trace as it was sent, as OTLP JSON."""
    return written_at("otlp", trace_id, project=project)


def otlp_message(trace_id: str, *, project: str | None = None) -> Call[bytes]:
    """Return every stored span of a trace as sent, as a ``TracesData`` message of protobuf."""
    request = otlp(trace_id, project=project).request
    return Call(replace(request, headers={"accept": PROTOBUF}, media_type=PROTOBUF), body_of)


def written_at(path: str, trace_id: str, *, project: str | None = None) -> Call[bytes]:
    """Return a run in a format that has its own path below the run's path in the API."""
    return Call(get(f"{_place(trace_id)}/{path}", project=project), body_of)


def spans(trace_id: str, *, project: str | None = None) -> Call[list[SpanVerdict]]:
    """Return the classification of each stored span of a trace, ordered by (start, span id)."""
    return Call(spans_document(trace_id, project=project).request, _verdicts)


def spans_document(trace_id: str, *, project: str | None = None) -> Call[bytes]:
    """Return the classifications of the spans of a trace as the API's JSON."""
    return Call(get(f"{_place(trace_id)}/spans", project=project), body_of)


def _place(trace_id: str) -> str:
    return f"/v1/trajectories/{segment(trace_id)}"


def _trajectory(reply: Reply) -> Trajectory:
    return Trajectory.model_validate_json(reply.body)


def _verdicts(reply: Reply) -> list[SpanVerdict]:
    return SpanList.model_validate_json(reply.body).spans


def _tagged(reply: Reply) -> Tagged | None:
    if reply.status == NOT_MODIFIED:
        return None
    return Tagged(reply.body, reply.headers.get("etag", ""))


def diff(
    a: str, b: str, *, project: str | None = None, other_project: str | None = None
) -> Call[Diff]:
    """Return the differences between two runs: counts, totals, and each step that differs."""
    call = diff_document(a, b, project=project, other_project=other_project, whole_texts=True)
    return Call(call.request, _diff)


def diff_document(
    a: str,
    b: str,
    *,
    project: str | None = None,
    other_project: str | None = None,
    every: bool = False,
    whole_texts: bool = False,
) -> Call[bytes]:
    """Return the differences between two runs as JSON (docs/api.md, "Diff").

    ``every`` includes the steps that are equal, ``whole_texts`` the full length of each text.
    """
    request = get(
        f"/v1/trajectories/{segment(a)}/diff/{segment(b)}",
        project=project,
        other_project=other_project,
        every=every,
        whole_texts=whole_texts,
    )
    return Call(request, body_of)


def _diff(reply: Reply) -> Diff:
    return Diff.model_validate_json(reply.body)
