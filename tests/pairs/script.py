"""The scenarios: the agents, and the model's answers to each of them, in order.

All model calls have different token counts, so that double counting is never right by accident.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Asked:
    """A tool call that the model requests."""

    id: str
    name: str
    arguments: dict[str, str]


@dataclass(frozen=True)
class Said:
    """One response of the model: an answer, or an error status."""

    text: str
    tokens: tuple[int, int]
    tools: tuple[Asked, ...] = ()
    cached: int = 0
    reasoning: int = 0
    status: int = 200
    takes_s: float = 0.03
    is_cut: bool = False
    """Whether the client leaves before the answer is complete, so that no tokens are counted."""


@dataclass(frozen=True)
class Agent:
    """An agent of a scenario, and the response to each of its model calls."""

    name: str
    tools: tuple[str, ...]
    says: tuple[Said, ...]
    parent: str | None = None


@dataclass(frozen=True)
class Scenario:
    """The agents and question of a run, and its expected errors, exception and retrievals."""

    agents: tuple[Agent, ...]
    question: str
    streams: bool = False
    is_async: bool = False
    is_chain: bool = False
    graph: str = ""
    """The graph whose nodes are the agents or model calls; if empty, the first agent runs."""
    falls_back: bool = False
    """Whether a second model is called if the first one fails."""
    errors: tuple[dict[str, object], ...] = ()
    exception: str | None = None
    retrievals: int = field(default=0)

    @property
    def has_agents(self) -> bool:
        """Whether ``agents`` have tools; otherwise they only name the callers of models."""
        return any(agent.tools for agent in self.agents)


BROKEN = "The server had an error while processing your request."
UNKNOWN = "order A-404 not found in shard 7"
PLANNER = Agent(
    "travel_planner",
    ("get_weather", "search_attractions"),
    (
        Said(
            "",
            (131, 77),
            (
                Asked("call_p1", "get_weather", {"city": "Oslo"}),
                Asked("call_p2", "get_weather", {"city": "Bergen"}),
                Asked("call_p3", "search_attractions", {"city": "Bergen"}),
            ),
            reasoning=12,
        ),
        Said("Oslo is dry, Bergen is wet, and the fjords are open.", (277, 43), cached=128),
    ),
)
SUPERVISOR = (
    Agent(
        "supervisor",
        ("ask_researcher", "ask_writer"),
        (
            Said("", (101, 21), (Asked("call_v1", "ask_researcher", {"task": "find facts"}),)),
            Said("", (163, 22), (Asked("call_v2", "ask_writer", {"task": "write a line"}),)),
            Said("Here is the line: fjords are deep.", (229, 33), cached=64),
        ),
    ),
    Agent(
        "researcher",
        ("search_attractions",),
        (
            Said("", (57, 13), (Asked("call_r1", "search_attractions", {"city": "Flam"}),)),
            Said("The fjord at Flam is 1300 m deep.", (91, 17), reasoning=5),
        ),
        "supervisor",
    ),
    Agent("writer", (), (Said("Fjords are deep.", (73, 11)),), "supervisor"),
)
LIBRARIAN = Agent("librarian", (), (Said("Refunds take 14 days.", (261, 48), cached=192),))
STREAMING = Agent(
    "travel_planner",
    ("get_weather",),
    (
        Said("", (83, 19), (Asked("call_s1", "get_weather", {"city": "Oslo"}),)),
        Said("Oslo stays dry today, take a light coat.", (149, 27), cached=64, reasoning=9),
    ),
)
OPERATOR = Agent(
    "ops_agent",
    ("query_orders",),
    (
        Said("", (87, 29), (Asked("call_e1", "query_orders", {"order": "A-404"}),)),
        Said("", (0, 0), status=500),
    ),
)
FAILURES: tuple[dict[str, object], ...] = (
    {"component": "tool", "name": "query_orders", "type": "ValueError", "message": UNKNOWN},
    {"component": "model", "code": 500, "message": BROKEN},
    {"component": "agent", "name": "ops_agent", "code": 500, "propagated": True},
)
DESK = (
    Agent(
        "sales",
        ("transfer_to_support",),
        (Said("", (59, 15), (Asked("call_h1", "transfer_to_support", {"reason": "refund"}),)),),
    ),
    Agent(
        "support",
        ("get_weather",),
        (
            Said("", (109, 23), (Asked("call_h2", "get_weather", {"city": "Oslo"}),), reasoning=7),
            Said("Your refund is on its way.", (167, 31), cached=64),
        ),
    ),
)
VERSES = (
    Agent("poet", (), tuple(Said("It is deep.", (41, 9), takes_s=s) for s in (0.03, 0.06, 0.09))),
    Agent("judge", (), (Said("The second one.", (127, 5), reasoning=3),)),
)
STUBBORN = Agent(
    "ops_agent",
    ("query_stock",),
    (
        Said("", (0, 0), status=500),
        Said("", (61, 18), (Asked("call_f1", "query_stock", {"city": "Oslo"}),)),
        Said("", (0, 0), status=500),
        Said("There are nine left.", (97, 12), cached=32),
    ),
)
FELL_BACK: tuple[dict[str, object], ...] = ({"component": "model", "code": 500, "message": BROKEN},)
SCENARIOS = {
    "parallel_tools": Scenario((PLANNER,), "What about Oslo and Bergen?"),
    "supervisor": Scenario(SUPERVISOR, "A line about fjords, please."),
    "rag_chain": Scenario((LIBRARIAN,), "How long do refunds take?", is_chain=True, retrievals=1),
    "stream_agent": Scenario((STREAMING,), "Do I need a coat in Oslo?", streams=True),
    "errors": Scenario(
        (OPERATOR,), "Where is order A-404?", errors=FAILURES, exception=f"Error 500 - {BROKEN}"
    ),
}
OTHERS = {
    "handoff": Scenario(DESK, "Where is my refund?", graph="desk"),
    "map_reduce": Scenario(VERSES, "A verse about fjords.", graph="verses"),
    "async_stream": Scenario((PLANNER,), "Oslo and Bergen?", streams=True, is_async=True),
    "async_supervisor": Scenario(
        SUPERVISOR, "A line about fjords, please.", streams=True, is_async=True
    ),
    "fallback": Scenario((STUBBORN,), "How many are left?", falls_back=True, errors=FELL_BACK),
}
"""Scenarios for a few pairs, to check that findings of the five above hold elsewhere."""
EVERY_SCENARIO = {**SCENARIOS, **OTHERS}
