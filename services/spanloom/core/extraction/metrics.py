"""Compute the metrics of an agent or a run, and the totals of the ``extraction`` object."""

from __future__ import annotations

from decimal import Decimal
from operator import attrgetter
from typing import TYPE_CHECKING

import orjson

from spanloom.core.conventions.run_context import OWN
from spanloom.core.conventions.usage import read_counts
from spanloom.core.conventions.usage_repair import ABOVE_TOTAL, DOUBTFUL
from spanloom.core.model.trajectory import Metrics, Step, StepType, Usage, names_of_agents
from spanloom.core.pricing import cost_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.core.extraction.steps import ArrangedSteps
    from spanloom.core.model.span import Facts, Span
    from spanloom.core.model.tree import SpanTree
    from spanloom.core.pricing import PriceBook

_MODEL, _TOOL = StepType.MODEL, StepType.TOOL  # cached: slow enum lookup before Python 3.12
_CALLS = (_MODEL, _TOOL)
_NOTHING = Metrics()
_BY_START = attrgetter("start_ns")


def measure(steps: Iterable[Step]) -> Metrics:
    """Return the metrics of the model and tool steps; agents and graphs only contain them."""
    own = [s for s in steps if s.type in _CALLS]
    if not own:
        return _NOTHING
    models = [s for s in own if s.type is _MODEL]
    tools = [s for s in own if s.type is _TOOL]
    model_errors, tool_errors = _errors(models), _errors(tools)
    usage = sum_usage(models)
    return Metrics(
        llm_duration_ns=_sum_durations(models),
        tool_duration_ns=_sum_durations(tools),
        model_errors=model_errors,
        tool_errors=tool_errors,
        model_error_rate=_share(sum(map(len, model_errors.values())), len(models)),
        tool_error_rate=_share(sum(map(len, tool_errors.values())), len(tools)),
        tool_step_proportion=_share(len(tools), len(models) + len(tools)),
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
    )


def sum_usage(models: Iterable[Step]) -> Usage:
    """Return the sum of the calls' token counts, of each kind; zeros without calls."""
    used = [s.usage for s in models if s.usage]
    return Usage(*map(sum, zip(*used, strict=True)))


def union_ns(steps: Iterable[Step]) -> int:
    """Return the time during which at least one step ran: 0 to 5 ns and 3 to 8 ns → 8."""
    total, reached = 0, 0
    for step in sorted(steps, key=_BY_START):
        began = max(step.start_ns, reached)
        if step.end_ns > began:
            total += step.end_ns - began
            reached = step.end_ns
    return total


def _sum_durations(steps: Iterable[Step]) -> int:
    """Return the sum of the steps' durations; a negative one counts as zero."""
    return sum([s.end_ns - s.start_ns for s in steps if s.end_ns > s.start_ns])


def _errors(steps: Iterable[Step]) -> Mapping[str, Sequence[str]]:
    ids_by_code: dict[str, list[str]] = {}
    for step in steps:
        if step.error is not None:
            ids_by_code.setdefault(str(step.error.code), []).append(step.id)
    return dict(sorted(ids_by_code.items()))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


_MODEL_STEP = StepType.MODEL  # cached: slow enum lookup before Python 3.12
COST = "cost"
"""Metadata key of a model step: US dollars, as a decimal."""
SOURCE = "cost_source"
"""``sender``, ``own`` (the operator's price list) or the name and version of the catalogue."""
SENDER = "sender"


def price_call(facts: Facts, when_ns: int, prices: PriceBook) -> Iterator[tuple[str, str]]:
    """Yield the metadata of the cost of a model call that began at ``when_ns``; none if unknown."""
    if reported := facts.metadata.get("reported_cost"):
        yield COST, reported
        yield SOURCE, SENDER
    elif facts.usage is not None and any(facts.usage):
        price = prices.price(facts.model, facts.metadata.get("provider", ""), when_ns)
        cost = None if price is None else cost_of(facts.usage, price.rates)
        if price is not None and cost is not None:
            yield COST, f"{cost.normalize():f}"
            yield SOURCE, price.source


def sum_costs(models: Sequence[Step]) -> dict[str, object] | None:
    """Return the total cost of model calls and the price sources; ``None`` without calls."""
    billed = [step for step in models if not _is_free(step)]
    if not billed:
        return None
    known = sum_known(billed)
    unpriced = [step for step in billed if COST not in step.metadata]
    shown: dict[str, object] = {
        "usd": None if unpriced or known is None else float(known),
        "known_usd": None if known is None else float(known),
        "sources": sorted({s.metadata[SOURCE] for s in billed if SOURCE in s.metadata}),
    }
    if unpriced:
        shown["unpriced_calls"] = len(unpriced)
        shown["unpriced_models"] = sorted({step.model for step in unpriced} - {""})
    return shown


def sum_known(steps: Iterable[Step]) -> Decimal | None:
    """Return the sum of the known costs, in US dollars; ``None`` if none is known."""
    known = [Decimal(step.metadata[COST]) for step in steps if COST in step.metadata]
    return sum(known, Decimal(0)) if known else None


def with_cost(agent: Step, owned: Sequence[Step]) -> Step:
    """Return the agent with the cost of its own calls, without those of agents below it."""
    total = sum_costs([step for step in owned if step.type is _MODEL_STEP])
    if total is None or total["usd"] is None:
        return agent
    return agent._replace(metadata={**agent.metadata, COST: f"{sum_known(owned):f}"})


def _is_free(step: Step) -> bool:
    """Return whether a call failed before it used anything."""
    used = step.usage is not None and any(step.usage)
    return step.error is not None and not used and COST not in step.metadata


def token_warnings(tree: SpanTree, by_type: Mapping[StepType, Sequence[Step]]) -> Sequence[str]:
    """Return a warning if spans report tokens but no model call does.

    An agent without spans of its calls reports their sum, Google's ADK the last call's: neither is
    the usage of one call, so none is counted, although zero is not correct either.
    """
    models = by_type[StepType.MODEL]
    if any(sum_usage(models)):
        doubtful = sum(DOUBTFUL in step.metadata for step in models)
        return [f"tokens of {doubtful} calls do not add up: {ABOVE_TOTAL}"] if doubtful else []
    reporting = sum(_reports_tokens(span.attributes) for span in tree.spans)
    if not reporting:
        return []
    return [f"{reporting} spans tell tokens, but no model call does: none are counted"]


def _reports_tokens(attributes: Mapping[str, str]) -> bool:
    return any(read_counts(attributes)[:2])


_SESSION = "session.id"
"""From OpenTelemetry's general semantic conventions, "Session"."""
_HTTP = frozenset({"http.request.method", "http.method"})
MAX_LINKED_TRACES = 100
Extras = dict[str, object]


def list_extras(
    tree: SpanTree, arranged: ArrangedSteps, by_type: Mapping[StepType, Sequence[Step]]
) -> Extras:
    """Return wall-clock times, time to the first token, names, further totals and linked traces."""
    models, agents = by_type[StepType.MODEL], by_type[StepType.AGENT]
    usage = sum_usage(models)
    first_tokens = [
        (s.start_ns - arranged.root.start_ns) / 1e6 + s.first_token_ms
        for s in models
        if s.first_token_ms is not None
    ]
    shown: Extras = {
        "llm_wall_ms": union_ns(models) // 1_000_000,
        "tool_wall_ms": union_ns(by_type[StepType.TOOL]) // 1_000_000,
        "time_to_first_token_ms": round(min(first_tokens), 3) if first_tokens else None,
        "models": sorted({s.model for s in models} - {""}),
        "agents": names_of_agents(agents),
        "services": sorted({span.service_name for span in tree.spans} - {""}) or None,
        "conversation_id": _conversation(tree, arranged),
        "environment": _only("environment", arranged),
        "user_id": _only("user_id", arranged),
        "tags": _tags(arranged),
        "metadata": _own_metadata(arranged, agents),
        "reported_cost": _cost(models),
        "cost": sum_costs(models),
        "reasoning_tokens": usage.reasoning_tokens,
        "cache_read_tokens": usage.cache_read_tokens,
        "cache_creation_tokens": usage.cache_creation_tokens,
    }
    known = {name: value for name, value in shown.items() if value is not None}
    return known | _links(tree)


def _conversation(tree: SpanTree, arranged: ArrangedSteps) -> str | None:
    """Return the root's conversation id, else the only one in the trace; ``None`` if ambiguous.

    An id that every agent and call has is the run's, also if a web server's ``session.id`` is
    another. Of several ids those count that no step around them has: an inner agent may be called
    in a conversation of its own.
    """
    if own := arranged.facts[arranged.root.id].conversation_id:
        return own
    named = {i: each for i, f in arranged.facts.items() if (each := f.conversation_id)}
    session = tree.root.attributes.get(_SESSION, "")
    if session and not (_is_web_server(tree.root) and _is_of_all(named, arranged.steps)):
        return session
    ids = set(named.values())
    if len(ids) > 1:
        ids = {each for i, each in named.items() if not _is_inside(i, named, arranged.steps)}
    ids = ids or {span.attributes.get(_SESSION, "") for span in tree.spans} - {""}
    return ids.pop() if len(ids) == 1 else None


def _is_web_server(span: Span) -> bool:
    return span.kind == "Server" or not _HTTP.isdisjoint(span.attributes)


def _is_of_all(named: Mapping[str, str], steps: Mapping[str, Step]) -> bool:
    """Return whether all agents and model calls have one id, and the same."""
    own = [i for i, step in steps.items() if step.type in (StepType.AGENT, StepType.MODEL)]
    return len({named.get(i, "") for i in own}) == 1 and own[0] in named


def _is_inside(step_id: str, named: Mapping[str, str], steps: Mapping[str, Step]) -> bool:
    """Return whether a step around this one has a conversation id too."""
    step = steps.get(step_id)
    while step is not None and step.parent_id:
        if step.parent_id in named:
            return True
        step = steps.get(step.parent_id)
    return False


def _only(name: str, arranged: ArrangedSteps) -> str | None:
    """Return the root's value, else the value on which all steps that have one agree."""
    if own := arranged.root.metadata.get(name):
        return own
    values = {step.metadata[name] for step in arranged.steps.values() if name in step.metadata}
    return values.pop() if len(values) == 1 else None


def _tags(arranged: ArrangedSteps) -> list[str] | None:
    """Return the tags of the run and of all its steps, sorted."""
    steps = (arranged.root, *arranged.steps.values())
    lists = {step.metadata["tags"] for step in steps if "tags" in step.metadata}
    return sorted({tag for tags in lists for tag in orjson.loads(tags)}) or None


def _own_metadata(arranged: ArrangedSteps, agents: Sequence[Step]) -> dict[str, str] | None:
    """Return the sender's own metadata of the root, else of the first agent below it."""
    for step in (arranged.root, *agents[:1]):
        own = {k.removeprefix(OWN): v for k, v in step.metadata.items() if k.startswith(OWN)}
        if own:
            return own
    return None


def _cost(models: Sequence[Step]) -> float | None:
    """Return the sum of the costs that the sender reports, in its currency."""
    costs = [Decimal(s.metadata["reported_cost"]) for s in models if "reported_cost" in s.metadata]
    return float(sum(costs)) if costs else None


def _links(tree: SpanTree) -> Extras:
    """Return the traces that span links of this one refer to, as messaging systems set them."""
    linked = {link.trace_id for span in tree.spans if span.links for link in span.links}
    others = sorted(linked - {tree.root.trace_id, ""})[:MAX_LINKED_TRACES]
    return {"linked_traces": others} if others else {}
