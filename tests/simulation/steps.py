"""Steps as data: Hypothesis shrinks lists of them, and a seeded driver makes millions.

A step is ``(name, number, …)``: ``("send", 0, 1, 3, 2, 0)``. Each number selects one of the
things that a world has at that moment, so that a step is possible in any world, even if earlier
steps are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from tests.simulation import views
from tests.simulation.invariants import AT_REST, BROKEN, EVER, Seen
from tests.simulation.tables import OF_SPANS
from tests.simulation.world import ORDERS, World, span

from spanloom.core.model.span import TraceKey
from spanloom.extractor.result import MAX_TRACE_SPANS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from random import Random

Step: TypeAlias = "tuple[str | int, ...]"
TRACES = [TraceKey("p", f"{n:x}" * 32) for n in (10, 11)]
SHIFTS_S = (0, 0, 0, -20, 7200)
"""Seconds by which spans begin later: a late root may begin early, a sender's clock be ahead."""
WAITS_S = (0.3, 1, 1, 3, 12, 31, 61, 1000)
DELAYS_S = (0, 0, 2, 30)
STATEMENTS = (1, 2, 3, 5, 8, 10_000)
AHEADS_S = ((0,), (0, -300, 300), (-3, 3))


class Play:
    """A world in which steps are executed, and the invariants that it must meet."""

    def __init__(self, setup: Step, demanded: Collection[str]) -> None:
        """Create the world of a ``setup``, whose numbers ``SETUP`` explains."""
        collectors, extractors, aheads, cap, shares = map(int, (*setup, 0)[:5])
        self.world = World(
            collectors + 1,
            extractors + 1,
            4 if cap == 0 else MAX_TRACE_SPANS,
            AHEADS_S[aheads % len(AHEADS_S)],
            shares=bool(shares),
        )
        self.seen = Seen(self.world, views.Follower(self.world.engine))
        self.demanded = demanded

    def do(self, step: Step) -> None:
        """Execute a step, and check the invariants of ``EVER``."""
        name, *numbers = step
        if name == "follow":
            self.seen.follower.look()
        else:
            STEPS[str(name)][0](self.world, *map(int, numbers))
        self._check(EVER)

    def rest(self) -> None:
        """Let the world come to rest, and check all invariants."""
        self.world.come_to_rest()
        self.seen.follower.look()
        self._check(EVER)
        self._check(AT_REST)

    def _check(self, invariants: Mapping[str, Callable[[Seen], str]]) -> None:
        for name, broken_by in invariants.items():
            if name in self.demanded and (why := broken_by(self.seen)):
                raise AssertionError(f"{name}: {why}")


def held() -> Collection[str]:
    """Return the names of the invariants that hold."""
    return (EVER.keys() | AT_REST.keys()) - BROKEN.keys()


def play(setup: Step, steps: Iterable[Step], demanded: Collection[str]) -> World:
    """Execute all steps, let the world come to rest, and return it."""
    game = Play(setup, demanded)
    for step in steps:
        game.do(step)
    game.rest()
    return game.world


def by_chance(random: Random, count: int) -> tuple[Step, list[Step]]:
    """Return a random setup and ``count`` random steps."""
    setup = tuple(random.randrange(most) for most in SETUP)
    names = random.choices(NAMES, k=count)
    return setup, [(n, *(random.randrange(most) for most in STEPS[n][1])) for n in names]


def _send(world: World, by: int, trace: int, first: int, count: int, kind: int, shift: int) -> None:
    numbers = range(first + 1, first + count + 2)
    name = f"edition {len(world.sent)}" if kind == 1 else "step"
    sent = [span(n, n + SHIFTS_S[shift], is_open=kind == 2, name=name) for n in numbers]
    world.send(*sent, key=TRACES[trace], by=by % len(world.collectors))


def _resend(world: World, by: int, back: int) -> None:
    """Let a client send an earlier request again, to any collector."""
    if world.sent:
        request = world.sent[-1 - back % len(world.sent)]
        world.send(*request.spans, key=request.key, by=by % len(world.collectors))


def _store_block(world: World, by: int, order: int) -> None:
    world.store_block(by % len(world.collectors), ORDERS[order % len(ORDERS)])


def _store(world: World, by: int, order: int) -> None:
    world.store(by % len(world.collectors), ORDERS[order % len(ORDERS)])


def _lose_answer(world: World, by: int, order: int) -> None:
    world.lose_answer_of(by % len(world.collectors), ORDERS[order % len(ORDERS)])


def _advance(world: World, wait: int) -> None:
    world.advance(WAITS_S[wait])


def _run(world: World, which: int, statements: int) -> None:
    world.extractors[which % len(world.extractors)].run(STATEMENTS[statements])


def _kill(world: World, which: int) -> None:
    world.extractors[which % len(world.extractors)].kill()


def _start(world: World, which: int) -> None:
    extractor = world.extractors[which % len(world.extractors)]
    if not extractor.is_alive:
        extractor.restart()


def _restart(world: World, which: int) -> None:
    world.extractors[which % len(world.extractors)].restart()


def _lose_answer_of_extractor(world: World, which: int) -> None:
    world.extractors[which % len(world.extractors)].lose_answer()


def _kill_store(world: World) -> None:
    world.kill_store()


def _set_delay(world: World, table: int, delay: int) -> None:
    world.engine.set_delay(OF_SPANS[table % len(OF_SPANS)], DELAYS_S[delay])


def _merge(world: World, table: int) -> None:
    names = list(world.engine.logs)
    world.engine.merge(names[table % len(names)])


def _revisit(world: World, trace: int) -> None:
    """Make a trace due again if its run is stored."""
    if views.head(world.engine, TRACES[trace]):
        world.revisit(TRACES[trace])


def _expire(world: World, trace: int) -> None:
    """Let a trace's spans expire; restart busy extractors, as no look takes so long (ADR 30)."""
    for extractor in world.extractors:
        if extractor.is_busy:
            extractor.restart()
    world.advance(86_400 * 30)
    world.expire(TRACES[trace])


def _follow(_: World) -> None:
    """Do nothing, because ``Play`` has the follower of the feed, and executes this step."""


TABLES_AT_MOST = 12
SETUP = (2, 3, len(AHEADS_S), 5, 2)
"""Exclusive upper bounds of a setup's numbers: additional collectors, additional extractors,
clocks, span cap, whether the extractors share the work."""
STEPS: Mapping[str, tuple[Callable[..., None], Sequence[int]]] = {
    "send": (_send, (2, 2, 4, 3, 3, len(SHIFTS_S))),
    "resend": (_resend, (2, 3)),
    "store_block": (_store_block, (2, len(ORDERS))),
    "store": (_store, (2, len(ORDERS))),
    "lose_answer": (_lose_answer, (2, len(ORDERS))),
    "advance": (_advance, (len(WAITS_S),)),
    "run": (_run, (3, len(STATEMENTS))),
    "kill": (_kill, (3,)),
    "start": (_start, (3,)),
    "restart": (_restart, (3,)),
    "lose_answer_of_extractor": (_lose_answer_of_extractor, (3,)),
    "kill_store": (_kill_store, ()),
    "set_delay": (_set_delay, (len(OF_SPANS), len(DELAYS_S))),
    "merge": (_merge, (TABLES_AT_MOST,)),
    "revisit": (_revisit, (2,)),
    "expire": (_expire, (2,)),
    "follow": (_follow, ()),
}
"""The function of each step, and the exclusive upper bounds of its numbers."""
WEIGHTS = {
    "send": 4,
    "store_block": 4,
    "store": 2,
    "advance": 6,
    "run": 10,
    "set_delay": 2,
    "follow": 3,
}
NAMES = [name for name in STEPS for _ in range(WEIGHTS.get(name, 1))]
