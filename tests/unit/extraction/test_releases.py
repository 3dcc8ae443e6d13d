"""A run's release comes from the first source that names one."""

from __future__ import annotations

import pytest
from tests.support.spans import KEY, genai, make_span

from spanloom.core.extract import extract

AGENT = genai("invoke_agent", agent__name="planner")


@pytest.mark.parametrize(
    ("root", "deployed", "inner", "release"),
    [
        ({}, "", {}, None),
        ({}, "1.2.0", {}, "1.2.0"),
        ({"langfuse.release": "r7"}, "1.2.0", {}, "r7"),
        ({"langfuse.release": "r7", "gen_ai.agent.version": "3"}, "1.2.0", {}, "3"),
        ({}, "1.2.0", {"gen_ai.agent.version": "4"}, "4"),
        ({"gen_ai.agent.version": "3"}, "", {"gen_ai.agent.version": "4"}, "3"),
        ({"langfuse.release": "unknown"}, "1.2.0", {}, "1.2.0"),
        ({"vcs.ref.head.revision": "9d59409"}, "", {}, None),  # the code that the agent edits
    ],
)
def test_the_most_telling_source_counts(
    root: dict[str, str], deployed: str, inner: dict[str, str], release: str | None
) -> None:
    spans = [
        make_span(1, attributes=AGENT | root)._replace(release=deployed),
        make_span(2, 1, attributes=AGENT | inner),
    ]
    assert extract(KEY, spans).extras.get("release") == release


def test_agents_of_several_versions_have_none_together() -> None:
    versions = ({"gen_ai.agent.version": n} for n in "45")
    inner = [make_span(n, 1, attributes=AGENT | own) for n, own in enumerate(versions, 2)]
    assert "release" not in extract(KEY, [make_span(1, attributes=AGENT), *inner]).extras
