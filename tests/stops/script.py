"""Runs that stop before their answer: some wait for a person, others are ended by their caller.

Two further runs are not cancelled: in a race only the loser is, and a tool exceeds its own time
limit.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.pairs.script import Agent, Asked, Said, Scenario

LOOK_UP, WIRE = "look_up_account", "wire_money"
"""The tools; the second one needs a person's approval."""
HOLDER = {"holder": "Bob"}
ORDER = {"to": "Bob", "amount": "500 EUR"}
SLOW = "Bergen"
"""The city whose weather takes longer than any caller waits."""


@dataclass(frozen=True)
class Stop:
    """How a run stops, and how it ends."""

    script: Scenario
    outcome: str
    """The outcome of the first run; a resumed run succeeds."""
    is_approved: bool | None = None
    """The person's answer; ``None`` if the run needs no approval."""
    in_process: bool = False
    """Whether the run is resumed in the process in which it stopped."""
    way: str = ""
    """How the caller gives up."""


def _asks(*says: Said) -> Scenario:
    return Scenario((Agent("banker", (LOOK_UP, WIRE), says),), "Wire 500 EUR to Bob.")


_ASKS_FIRST = Said("I wire it.", (101, 21), (Asked("call_w1", WIRE, ORDER),))
_ASKS_BOTH = Said("", (103, 37), (Asked("call_a1", LOOK_UP, HOLDER), Asked("call_w2", WIRE, ORDER)))
_DONE = Said("500 EUR are on their way to Bob.", (163, 22))
_LEFT = Said("Then I leave the money where it is.", (167, 24))
APPROVALS = {
    "approval_approved": Stop(_asks(_ASKS_FIRST, _DONE), "paused", is_approved=True),
    "approval_rejected": Stop(_asks(_ASKS_FIRST, _LEFT), "paused", is_approved=False),
    "approval_of_two": Stop(_asks(_ASKS_BOTH, _DONE), "paused", is_approved=True, in_process=True),
}
LATER = {"long_running": Stop(_asks(_ASKS_FIRST, _DONE), "paused")}
"""A run of ADK whose tool's result arrives later, as a person's answer does."""

_WEATHER = (
    Asked("call_o1", "get_weather", {"city": "Oslo"}),
    Asked("call_b1", "get_weather", {"city": SLOW}),
)
_LOOKS = Said("", (131, 77), _WEATHER)
_ANSWERS = Said("Oslo is dry.", (277, 43))
_CUT = Said(
    "Oslo is dry and Bergen is wet, as far as anybody knows.", (0, 0), takes_s=3, is_cut=True
)
_RACE = Said("", (89, 31), (Asked("call_r1", "ask_first", {"city": "Oslo"}),))


def _plans(
    *says: Said, streams: bool = False, errors: tuple[dict[str, object], ...] = ()
) -> Scenario:
    agent = Agent("travel_planner", ("get_weather",), says)
    return Scenario((agent,), "What about Oslo and Bergen?", streams=streams, errors=errors)


_RACERS = (
    Agent("travel_planner", ("ask_first",), (_RACE, _ANSWERS)),
    Agent("quick_scout", (), (Said("Dry.", (51, 7), takes_s=0.8),), "travel_planner"),
    Agent("slow_scout", (), (_CUT,), "travel_planner"),
)
_LATE: dict[str, object] = {"component": "tool", "name": "get_weather", "type": "TimeoutError"}
CANCELS = {
    "cancelled_tool": Stop(_plans(_LOOKS), "cancelled", way="cancel"),
    "cancelled_model": Stop(_plans(_CUT), "cancelled", way="cancel"),
    "cancelled_stream": Stop(_plans(_CUT, streams=True), "cancelled", way="close"),
    "cancelled_timeout": Stop(_plans(_LOOKS), "cancelled", way="timeout"),
    "cancelled_keyboard": Stop(_plans(_LOOKS), "cancelled", way="keyboard"),
    "race_cancelled": Stop(Scenario(_RACERS, "Is Oslo dry?"), "ok"),
    "tool_deadline": Stop(_plans(_LOOKS, errors=(_LATE,)), "failed", way="deadline"),
}
STOPS = {**APPROVALS, **LATER, **CANCELS}
