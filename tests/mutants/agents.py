"""Mutants of what reads coding agents: events, exit codes, dialects, runs without a root."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

UNIT = "tests/unit/dialects/coding_agents"
MUTANTS = (
    Mutant(
        name="running-agents-have-finished",
        room="core",
        was='attributes.get("status", "").lower() in _BEGINNING',
        becomes='attributes.get("status", "") == "no such status"',
        why="the start of a sub-agent is taken for its end: it owns nothing",
        killed_by=["tests/unit/conventions/test_agent_events.py"],
    ),
    Mutant(
        name="exit-codes-are-numbers",
        room="core",
        was='if not code.lstrip("-").isdecimal() or not int(code):',
        becomes='if not code.lstrip("-").isdecimal() or int(code):',
        why="commands that ended well have failed, those that failed ended well",
        killed_by=["tests/unit/conventions/test_exit_codes.py"],
    ),
    Mutant(
        name="frames-are-asked",
        room="core",
        was="return text[at:] or text",
        becomes="return text",
        why="the time of day stands before every question to Copilot",
        killed_by=["tests/unit/reading/test_frames.py"],
    ),
    Mutant(
        name="runs-without-a-root",
        room="core",
        was="return whole if root is None else _below(root, whole, tops)",
        becomes="return whole",
        why="Gemini CLI's, Qwen Code's and opencode's calls belong to no agent",
        killed_by=[f"{UNIT}/test_gemini_cli.py"],
    ),
    Mutant(
        name="bridge-as-it-came",
        room="core",
        was="return named._replace(start_ns=2 * span.start_ns - span.end_ns, end_ns=span.start_ns)",
        becomes="return named",
        why="Qwen Code's calls end after their answers were used",
        killed_by=[f"{UNIT}/test_agent_logs.py"],
    ),
    Mutant(
        name="only-the-last-attempt",
        room="core",
        was="for number in range(1, attempts):",
        becomes="for number in range(1, min(attempts, 1)):",
        why="calls of Claude Code that failed and were repeated are not counted",
        killed_by=[f"{UNIT}/test_claude_code.py"],
    ),
    Mutant(
        name="records-next-to-their-spans",
        room="core",
        was="if spans and any(find_call(e, spans) is not None for e in call.events):",
        becomes="if not spans and any(find_call(e, spans) is not None for e in call.events):",
        why="each call of Gemini CLI counts twice: by its span and by its record",
        killed_by=[f"{UNIT}/test_agent_logs.py"],
    ),
    Mutant(
        name="cached-tokens-are-no-prompt",
        room="core",
        was='facts.usage = with_cached(read_counts(attributes, ("",)))',
        becomes='facts.usage = read_counts(attributes, ("",))',
        why="prompts of Claude Code count without what was cached: almost all of them",
        killed_by=[f"{UNIT}/test_recorded_agents.py"],
    ),
    Mutant(
        name="sub-agents-own-nothing",
        room="core",
        was="if own := [a for a in agents if own_id in a.prompt_ids]:",
        becomes="if own := [a for a in agents if own_id not in a.prompt_ids]:",
        why="what a sub-agent of Qwen Code ran is the main agent's, and the other way round",
        killed_by=[f"{UNIT}/test_recorded_agents.py"],
    ),
    Mutant(
        name="titles-answer",
        room="core",
        was="guardrails |= {s.id for s in owned if ASIDE in s.metadata}",
        becomes="guardrails |= set()",
        why="the title of a conversation is shown as the answer of a run whose call was lost",
        killed_by=[f"{UNIT}/test_opencode.py"],
    ),
    Mutant(
        name="turns-end-at-once",
        room="core",
        was='return Classification(Kind.AGENT, "codex.turn_goes_on", part_of=around[0].span_id)',
        becomes='return Classification(Kind.AGENT, "codex.turn_goes_on")',
        why="a run of Codex has two agents, and lasts as long as its first",
        killed_by=[f"{UNIT}/test_codex.py"],
    ),
    Mutant(
        name="failures-by-spans-alone",
        room="core",
        was="if classification.error is not None and not is_cut:",
        becomes="if classification.error is not None and is_cut:",
        why="commands with an exit code, and calls whose failure only a record tells, ended well",
        killed_by=[f"{UNIT}/test_copilot.py"],
    ),
)
