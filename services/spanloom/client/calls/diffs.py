"""Calls that compare two runs."""

from __future__ import annotations

from spanloom.client.diff_models import Diff
from spanloom.client.request import Call, Reply, body_of, get, segment


def diff(
    a: str, b: str, *, project: str | None = None, other_project: str | None = None
) -> Call[Diff]:
    """Return the differences between two runs: counts, totals, and each step that differs."""
    asked = diff_document(a, b, project=project, other_project=other_project, whole_texts=True)
    return Call(asked.request, _diff)


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
