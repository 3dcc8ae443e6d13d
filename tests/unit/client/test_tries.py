"""When a request is repeated, and when that is given up, decided without a network."""

from __future__ import annotations

import pytest

from spanloom.client.errors import ClientError, TimedOutError, UnreachableError
from spanloom.client.request import Reply, Request, get, post
from spanloom.client.tries import LONGEST_PAUSE_S, Patience, Tries

READ = get("/v1/trajectories")
SEARCH = Request("POST", "/v1/trajectories/search", body=b"{}")
BUSY = Reply(503, {})
GONE = UnreachableError("nothing answers")


def busy(retry_after: str, **headers: str) -> Reply:
    return Reply(503, {"retry-after": retry_after, **headers})


def pauses(
    request: Request, outcomes: list[Reply | ClientError], patience: Patience, dice: float = 1.0
) -> list[float | None]:
    """Return the decision after each outcome, with a clock that only the pauses advance."""
    now, found = 100.0, []
    tries = Tries(patience, request, now)
    for outcome in outcomes:
        pause_s = tries.pause_s(outcome, now, dice)
        found.append(pause_s)
        now += pause_s or 0.0
    return found


def test_pauses_double_and_five_tries_are_the_most() -> None:
    expected = [0.25, 0.5, 1.0, 2.0, None]
    assert pauses(READ, [BUSY, GONE, BUSY, GONE, BUSY], Patience()) == expected
    assert pauses(READ, [BUSY] * 5, Patience(), dice=0.0)[:4] == [0.125, 0.25, 0.5, 1.0]
    long = pauses(READ, [BUSY] * 9, Patience(tries=99, deadline_s=1_000))
    assert long[-1] == LONGEST_PAUSE_S


def test_what_the_service_asks_for_is_obeyed() -> None:
    assert pauses(READ, [busy("7"), Reply(429, {"retry-after": "3"})], Patience()) == [7.0, 3.0]
    date = {"date": "Sun, 06 Nov 1994 08:49:37 GMT"}
    later = busy("Sun, 06 Nov 1994 08:49:41 GMT", **date)
    assert pauses(READ, [later], Patience()) == [4.0]
    assert pauses(READ, [busy("soon")], Patience()) == [0.25]


def test_one_deadline_holds_for_all_tries() -> None:
    assert pauses(READ, [busy("20"), busy("20"), busy("20")], Patience()) == [20.0, 20.0, None]
    assert pauses(READ, [busy("61")], Patience()) == [None]
    tries = Tries(Patience(timeout_s=30, deadline_s=40), READ, 0.0)
    assert (tries.timeout_s(0.0), tries.timeout_s(25.0)) == (30, 15)
    assert Tries(Patience(timeout_s=90, deadline_s=40), READ, 0.0).timeout_s(0.0) == 90


@pytest.mark.parametrize("outcome", [Reply(500, {}), Reply(404, {}), TimedOutError("late")])
def test_what_does_not_pass_is_not_asked_again(outcome: Reply | ClientError) -> None:
    assert pauses(READ, [outcome], Patience()) == [None]


def test_what_does_something_is_done_once() -> None:
    assert pauses(post("/v1/replays"), [BUSY], Patience()) == [None]
    assert pauses(SEARCH, [BUSY], Patience()) == [0.25]
