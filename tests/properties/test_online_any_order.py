"""Online rules: announcements in any order and repeated, and processes killed at any write.

In the end each run has one score from each rule that selects it, for its current version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.examples import examples
from tests.support.online import Online, trace

from spanloom.core.model.trajectory import Status
from spanloom.evaluation.sampling import is_sampled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

RUNS = 3
MOST_SETTLED = 3
"""Settled versions before the last one; a rule judges at most four versions of a run."""


class Killed(Exception):  # noqa: N818  # what ends a process
    """The process was killed at this write."""


def killed_at(write: Callable[..., None], *, before: bool) -> Callable[..., None]:
    def end(*given: object, **more: object) -> None:
        if not before:
            write(*given, **more)
        raise Killed

    return end


class Story:
    """A simulation: runs change, the feed repeats announcements, and the process may be killed."""

    def __init__(self) -> None:
        self.online = Online()
        self.online.put("all")
        self.online.put("some", sample=0.5)
        self.versions = [0] * RUNS
        self.settled = [0] * RUNS
        self.calls = [0] * RUNS

    def change(self, run: int, calls: int, status: Status) -> None:
        if status is Status.SETTLED and self.settled[run] == MOST_SETTLED:
            return
        self.versions[run] += 1
        self.settled[run] += status is Status.SETTLED
        self.calls[run] = calls
        self.online.send(trace(run), self.versions[run], calls=calls, status=status)

    def repeat(self, run: int) -> None:
        """Announce the last two versions of a run again."""
        for version in range(1, self.versions[run] + 1)[-2:]:
            self.online.announce(trace(run), version)

    def take(self) -> None:
        self.online.follower.run_once()

    def judge(self) -> None:
        self.online.tick()
        self.online.worker.run_once()

    def kill(self, place: str, *, before: bool) -> None:
        """Kill the process before or after its next write of a kind; then restart it."""
        store = self.online.store
        of, name = {
            "work": (store.online_rules, "add_work"),
            "scores": (store.scores, "add"),
            "place": (store.followers, "keep_place"),
        }[place]
        kept = getattr(of, name)
        setattr(of, name, killed_at(kept, before=before))
        try:
            self.take()
            self.judge()
        except Killed:
            pass
        finally:
            setattr(of, name, kept)
        self.online.restart()

    def end(self) -> None:
        for run in range(RUNS):
            self.settled[run] = 0
            self.change(run, self.calls[run] or 1, Status.SETTLED)
        self.online.turn()


Step = st.one_of(
    st.tuples(
        st.just("change"),
        st.integers(0, RUNS - 1),
        st.integers(1, 3),
        st.sampled_from([Status.SETTLED, Status.LIVE]),
    ),
    st.tuples(st.just("repeat"), st.integers(0, RUNS - 1)),
    st.tuples(st.just("take")),
    st.tuples(st.just("judge")),
    st.tuples(st.just("kill"), st.sampled_from(["work", "scores", "place"]), st.booleans()),
)


@settings(max_examples=examples(2_000))
@given(st.lists(Step, max_size=25))
def test_each_run_has_the_score_of_what_it_is(steps: Sequence[tuple[object, ...]]) -> None:
    story = Story()
    for kind, *rest in steps:
        match kind, rest:
            case "kill", [str(place), bool(before)]:
                story.kill(place, before=before)
            case _:
                getattr(story, str(kind))(*rest)
    story.end()
    found = {s.key.trace_id: s.passed for s in story.online.scores()}
    assert len(found) == len(story.online.scores()) == RUNS
    assert found == {trace(run).trace_id: story.calls[run] <= 1 for run in range(RUNS)}
    some = sum(is_sampled("some", trace(run).trace_id, 0.5) for run in range(RUNS))
    for name, count in (("all", RUNS), ("some", some)):
        told = story.online.progress(name)
        assert (told.done, told.pending, told.error, told.deferred) == (count, 0, 0, 0)
