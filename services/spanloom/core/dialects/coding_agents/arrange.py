"""Puts the spans of a coding agent's run below one root, before dialects read them.

Some coding agents send no span of the whole run: every model call is a separate trace, or a log
record. In this case the first prompt becomes the root span, with the duration of the run; if there
is no prompt, a root span is created. Failed attempts of model calls, which only events report,
become spans.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions.agent_events import (
    is_bare,
    list_events,
    name_of,
    read_moment,
    what_of,
)
from spanloom.core.conventions.agent_logs import BRIDGED, EVENT_NAME
from spanloom.core.conventions.agent_records import What, is_unasked
from spanloom.core.dialects.coding_agents.attempts import list_attempts, made_id
from spanloom.core.dialects.coding_agents.lifted import lift_records
from spanloom.core.dialects.coding_agents.opencode_whole import OPENCODE, lacks_whole, only_whole
from spanloom.core.dialects.coding_agents.sub_agents import list_sub_agents
from spanloom.core.dialects.coding_agents.unfinished import list_unfinished

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from spanloom.core.model.span import Span

CLAUDE_CODE, GEMINI_CLI = "com.anthropic.claude_code.tracing", "gemini-cli"
QWEN_CODE, COPILOT = "qwen-code", "github.copilot"
"""Names of the scopes of coding agents."""
_SCOPES = frozenset({CLAUDE_CODE, GEMINI_CLI, OPENCODE, QWEN_CODE})
_IN_PIECES = frozenset({CLAUDE_CODE, GEMINI_CLI, QWEN_CODE, COPILOT})
"""Scopes of senders that split a run over several traces of spans."""
_WITHOUT_ROOT = frozenset({GEMINI_CLI, QWEN_CODE})
"""Scopes of senders whose traces may consist only of calls and tools."""
_MADE = "coding_agent.run"
"""Value of ``event.name`` of a root span that this module creates."""
_ROOTS = frozenset(
    {
        *("claude_code.interaction", "qwen-code.interaction"),
        *("turn/start", "session_task.turn", "invoke_agent"),
    }
)
"""Names of spans that represent a whole run."""


def is_made_root(span: Span) -> bool:
    """Return whether this module created the span."""
    return span.attributes.get(EVENT_NAME) == _MADE


def arrange(spans: Sequence[Span]) -> Sequence[Span]:
    """Return a coding agent's spans with one root; the spans of other senders unchanged."""
    scopes = {span.scope_name for span in spans}
    is_sent = (
        not scopes.isdisjoint(_SCOPES)
        or any(scope.startswith("codex") for scope in scopes)
        or any(BRIDGED in span.attributes for span in spans)
    )
    is_sent = is_sent or _has_turns_of_copilot(spans)
    lifted = () if is_sent else lift_records(spans)
    if not is_sent and not lifted:
        return spans
    whole = [*map(_as_record, spans), *list_attempts(spans), *lifted, *list_unfinished(spans)]
    ids = {span.span_id for span in whole}
    tops = [span for span in whole if span.parent_span_id not in ids]
    root = _find_root(whole, tops) if tops else None  # in a cycle no span is topmost
    return whole if root is None else _below(root, whole, tops)


def _has_turns_of_copilot(spans: Sequence[Span]) -> bool:
    """Return whether the trace has several topmost spans of Copilot, one for each turn of a run."""
    return sum(not s.parent_span_id and s.scope_name == COPILOT for s in spans) > 1


def _as_record(span: Span) -> Span:
    """Return the span of a log record, with the event's name, and the record's time as its end.

    Qwen Code's bridge sends the record's time as the start, and that time plus the duration as end.
    """
    if not is_bare(span):
        return span
    named = span._replace(name=name_of(span))
    written_ns = read_moment(span.attributes.get("event.timestamp", ""))
    if not written_ns or abs(written_ns - span.start_ns) >= abs(written_ns - span.end_ns):
        return named
    return named._replace(start_ns=2 * span.start_ns - span.end_ns, end_ns=span.start_ns)


def _find_root(spans: Sequence[Span], tops: Sequence[Span]) -> Span | None:
    """Return a root for the spans; ``None`` if they already have a root, or are not a run."""
    if lacks_whole(spans):
        return _make(tops)
    if len(tops) > 1 and (whole := only_whole(spans)) is not None:
        return whole
    bare = [span for span in tops if is_bare(span)]
    if not bare and not any(span.scope_name in _IN_PIECES for span in tops):
        return None
    reported = [span for span in tops if span.name in _ROOTS and not is_bare(span)]
    if reported:
        return min(reported, key=_order)
    prompts = [s for s in bare if what_of(name_of(s), s.attributes) is What.PROMPT]
    if prompts:
        return min(prompts, key=_order)
    telling = [s for s in tops if not is_bare(s) or what_of(name_of(s), s.attributes)]
    is_run = bool(bare) or any(span.scope_name in _WITHOUT_ROOT for span in tops)
    return _make(telling) if is_run and telling and not _are_counts(telling) else None


def _are_counts(spans: Collection[Span]) -> bool:
    """Return whether all spans are records with only token counts of calls in other records."""
    return all(is_bare(s) and name_of(s).endswith("sse_event") for s in spans)


def _make(tops: Sequence[Span]) -> Span:
    first = min(tops, key=_order)
    span_id = made_id(first.trace_id, _MADE)
    bridge = {} if first.scope_name == OPENCODE else {BRIDGED: "true"}
    return first._replace(
        span_id=span_id,
        parent_span_id="",
        name=first.service_name or first.scope_name,
        kind="Internal",
        status_code="Unset",
        status_message="",
        attributes={EVENT_NAME: _MADE, **bridge},
        events=(),
        links=(),
    )


def _below(root: Span, spans: Sequence[Span], tops: Sequence[Span]) -> Sequence[Span]:
    """Return the spans with other topmost spans moved below the root.

    A root that was sent as a span keeps its times, and only records and continuations of its run
    are moved; any other root is made to last as long as the spans.
    """
    top_ids = {span.span_id for span in tops}
    is_reported = root.span_id in top_ids and not is_bare(root)
    ends = _ends_of_agents(spans)
    arranged = [
        _moved(span, root.span_id, ends)
        for span in spans
        if span.span_id != root.span_id
        and span.span_id in top_ids
        and (is_bare(span) or not is_reported or _goes_on(span))
    ]
    moved = {span.span_id: span for span in arranged}
    if not is_reported:
        telling = [s for s in spans if not is_bare(s) or what_of(name_of(s), s.attributes)]
        last_ns = max((s.end_ns for s in telling), default=root.end_ns)
        parents = {span.parent_span_id for span in tops}
        parent_id = "" if "" in parents else min(parents)  # this parent may still arrive
        first_ns = min(s.start_ns for s in (root, *tops) if not is_bare(s) or s is root)
        end_ns = max(root.end_ns, last_ns)
        root = root._replace(parent_span_id=parent_id, start_ns=first_ns, end_ns=end_ns)
    kept = [moved.get(span.span_id, span) for span in spans if span.span_id != root.span_id]
    return [root, *kept]


def _goes_on(span: Span) -> bool:
    """Return whether a topmost span continues the run of another topmost span."""
    if span.scope_name == CLAUDE_CODE:
        return is_unasked(span.attributes.get("user_prompt", ""))
    return span.scope_name in (QWEN_CODE, COPILOT)


def _moved(span: Span, root_id: str, ends: dict[str, int]) -> Span:
    return span._replace(parent_span_id=root_id, end_ns=ends.get(span.span_id, span.end_ns))


def _ends_of_agents(spans: Sequence[Span]) -> dict[str, int]:
    """Map the span id of each record of a sub-agent's start to the sub-agent's end in ns."""
    agents = list_sub_agents(list_events(span for span in spans if is_bare(span)))
    return {a.start.holder.span_id: a.end_ns for a in agents if a.start is not None}


def _order(span: Span) -> tuple[int, str]:
    return span.start_ns, span.span_id
