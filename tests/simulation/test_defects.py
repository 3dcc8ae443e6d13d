"""The smallest scenarios of defects with several collectors, extractors and slow views.

If the moment matters, a process is stopped before each of its statements in turn, so that no
scenario depends on the order in which the store is read and written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.simulation import views
from tests.simulation.invariants import Seen, one_document
from tests.simulation.store import unextracted
from tests.simulation.world import TRACE, World, span, spans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST_READ = 1.3
"""Maximum number of spans read per span sent, if extractors share the work."""
MOST_STATEMENTS = 100


def stopped_anywhere(begin: Callable[[], World]) -> Iterator[World]:
    """Yield worlds whose first extractor is stopped before each statement of a look in turn."""
    for statements in range(1, MOST_STATEMENTS):
        world = begin()
        if world.extractors[0].run(statements):
            return
        yield world


def test_a_run_is_not_stale_after_its_spans_became_visible_late() -> None:
    world = World()
    world.send(*spans(range(1, 6)))
    world.store()
    world.engine.set_delay("otel_traces", 3)
    world.send(*spans(range(6, 11)))
    world.store()
    world.run(2)  # both changes are visible, the second one's spans are not
    world.come_to_rest()
    assert unextracted(world.engine) == []
    assert views.span_count(world.engine, TRACE) == 10


def test_a_part_does_not_replace_a_whole_of_the_same_sequence() -> None:
    def begin() -> World:
        world = World(collectors=2, extractors=2)
        first = world.send(*spans(range(1, 6)), by=0)
        world.send(*spans(range(6, 11)), by=1, seq=first.seq)  # in the same microsecond
        world.store(0)
        world.advance(1)
        return world

    for world in stopped_anywhere(begin):
        slow, quick = world.extractors
        world.store(1)
        world.advance(1)
        quick.run()
        assert views.span_count(world.engine, TRACE) == 10
        slow.run()
        assert views.span_count(world.engine, TRACE) == 10
        world.come_to_rest()
        assert views.span_count(world.engine, TRACE) == 10


def test_no_version_number_has_two_documents() -> None:
    def begin() -> World:
        world = World(extractors=2)
        world.send(*spans(range(1, 6)))
        world.store()
        world.advance(1)
        return world

    for world in stopped_anywhere(begin):
        slow, quick = world.extractors
        world.send(*spans(range(6, 11)))
        world.store()
        world.advance(1)
        quick.run()
        slow.run()
        world.come_to_rest()
        assert views.span_count(world.engine, TRACE) == 10
        assert one_document(Seen(world, views.Follower(world.engine))) == ""


def test_a_run_that_moved_is_at_one_place_after_a_death_between_inserts() -> None:
    def begin() -> World:
        world = World()
        world.send(span(2, start_s=10))
        world.store()
        world.run(3)
        assert len(views.listed(world.engine, TRACE)) == 1
        world.send(span(1, start_s=0))
        world.store()
        world.advance(1)
        return world

    for world in stopped_anywhere(begin):
        world.extractors[0].restart()
        world.come_to_rest()
        assert [row.start_ns for row in views.listed(world.engine, TRACE)] == [span(1).start_ns]


def test_a_run_is_that_of_what_was_sent_last_though_nothing_had_to_be_written() -> None:
    def begin() -> World:
        world = World(extractors=2)
        world.send(span(1))
        world.store()
        world.run(3)
        world.send(span(1, name="edition"))
        world.store()
        world.advance(1)
        return world

    for world in stopped_anywhere(begin):
        slow, quick = world.extractors
        world.send(span(1))
        world.store()
        for _ in range(3):
            world.advance(1)
            quick.run()
        slow.run()
        slow.kill()
        world.come_to_rest()
        assert views.document(world.engine, TRACE)["root_step"]["name"] == "step"


def test_extractors_share_the_work() -> None:
    """While no extractor joins or leaves, each span is read little more than once."""
    world = World(extractors=4, shares=True)
    world.run(20)
    for number in range(40):
        world.send(*spans(range(1, 6)), key=TRACE._replace(trace_id=f"{number:032x}"))
    world.store()
    world.run(30)
    read = world.metrics.spans_extracted._value.get()
    assert read <= MOST_READ * 40 * 5
