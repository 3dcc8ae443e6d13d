"""One attribute of hostile text costs a bounded multiple of its bytes, in every dialect."""

from __future__ import annotations

import gc
import time
import tracemalloc
from typing import TYPE_CHECKING

import pytest
from tests.support.examples import is_long
from tests.support.hostile_texts import HOSTILE, Target, all_targets, hostile_text
from tests.support.spans import KEY, make_span

from spanloom.core.dialects import registry
from spanloom.core.extract import extract
from spanloom.core.extraction.prepare import ILLEGIBLE
from spanloom.core.model.span import Event
from spanloom.core.pricing import list_price

if TYPE_CHECKING:
    from collections.abc import Iterable

SCOPE = "openinference.instrumentation.langchain"
SIZE = 400_000 if is_long() else 200_000
TRACED_SIZE = SIZE // 8
"""Size of texts whose memory is traced; tracing takes several times as long as building."""
MAX_BYTES_PER_BYTE = 60
MAX_SLOWDOWN = 8
"""Limit for four times the text: a linear reader takes four times as long, a quadratic one 16."""
NOISE_S = 0.25
LEAST, MOST = (20, 1_000) if is_long() else (6, 12)
"""Number of pairs of an attribute and a text, for dialects with few and with many attributes."""
WITHOUT_CAPTURES = {"a2a", "imported", "invariant", "logfire_pending", "openinference_mastra"}
DIALECTS = sorted({dialect.id for dialect in registry.DIALECTS} - WITHOUT_CAPTURES)


@pytest.fixture(autouse=True, scope="module")
def _captures_are_no_garbage() -> None:
    """Exclude the captures from garbage collection, which took most of the tests' time.

    The prices are also loaded before, because loading them under tracing took twenty seconds.
    """
    all_targets()
    assert list_price("gpt-4o", "openai", time.time_ns())
    gc.freeze()


def targets_of(dialect: str) -> list[Target]:
    return [target for target in all_targets() if target.dialect == dialect]


def peak_bytes(target: Target, name: str) -> int:
    """Return the peak memory of building the trace, beyond the memory of its spans."""
    spans = target.carrying(hostile_text(name, TRACED_SIZE))
    gc.collect()
    tracemalloc.start()
    try:
        extract(target.trace, spans)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def cpu_seconds(target: Target, name: str, size: int) -> float:
    spans = target.carrying(hostile_text(name, size))
    began = time.process_time()
    extract(target.trace, spans)
    return time.process_time() - began


def check(cases: Iterable[tuple[Target, str]]) -> None:
    for target, name in cases:
        assert peak_bytes(target, name) <= MAX_BYTES_PER_BYTE * TRACED_SIZE, (str(target), name)
        taken = cpu_seconds(target, name, SIZE)
        if taken > NOISE_S:
            small = cpu_seconds(target, name, SIZE // 4)
            assert taken <= max(small, NOISE_S / 4) * MAX_SLOWDOWN, (str(target), name)


def test_every_dialect_with_captures_is_here() -> None:
    assert sorted({target.dialect for target in all_targets()}) == DIALECTS


@pytest.mark.parametrize("dialect", DIALECTS)
def test_memory_and_time_follow_the_text(dialect: str) -> None:
    targets = targets_of(dialect)
    first = DIALECTS.index(dialect)  # gives each dialect other texts, as all combinations are slow
    rounds = range(min(max(LEAST, len(targets)), MOST))
    spread = max(len(targets) // MOST, 1)
    check((targets[n * spread % len(targets)], HOSTILE[(first + n) % len(HOSTILE)]) for n in rounds)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", HOSTILE)
def test_memory_and_time_follow_the_text_everywhere(name: str) -> None:
    check((target, name) for target in all_targets())


@pytest.mark.parametrize("name", HOSTILE)
def test_what_an_sdk_writes_out_by_python(name: str) -> None:
    """Python's notation costs most in LiteLLM and OpenLIT; one other dialect is tested per text."""
    arguments = [t for t in all_targets() if t.key == "gen_ai.tool.call.arguments"]
    others = [t for t in arguments if t.dialect != "openlit"]
    known = [t for t in all_targets() if t.key in {"llm.openai.messages", "llm.openai.choices"}]
    known += [t for t in arguments if t.dialect == "openlit"]
    check((t, name) for t in [*known, others[HOSTILE.index(name) % len(others)]])


@pytest.mark.parametrize("name", ["errors", "digits", "letters", "blanks", "tokens"])
@pytest.mark.parametrize(
    ("dialect", "key"),
    [("traceloop_agno", "traceloop.entity.output"), ("litellm", "metadata.usage_object")],
)
def test_what_is_searched_by_pattern(dialect: str, key: str, name: str) -> None:
    check((t, name) for t in all_targets() if (t.dialect, t.key) == (dialect, key))


@pytest.mark.parametrize("name", ["wide control characters", "a fifth control characters"])
def test_what_json_writes_letter_by_letter(name: str) -> None:
    """Parts of unknown types are JSON in JSON, which escapes a text more often than all others."""
    check((t, name) for t in all_targets() if t.key.endswith("message_content.type"))


def test_control_characters_are_left_out_with_a_warning() -> None:
    noise = hostile_text("wide control characters", SIZE)
    events = [Event(0, "gen_ai.user.message", {"content": noise})]
    attributes = {"openinference.span.kind": "LLM", "input.value": noise}
    span = make_span(1, 0, attributes, events=events, scope=SCOPE)
    trajectory = extract(KEY, [span])
    assert trajectory.root.input == '[{"role":"user","content":"\N{WAVING HAND SIGN}"}]'
    assert trajectory.warnings == [ILLEGIBLE.format(n=2)]


def test_a_terminals_output_is_legible() -> None:
    lines = "\x1b[32mpassed\x1b[0m tests/test_one.py\r\n\t" * 1_000
    trajectory = extract(KEY, [make_span(1, 0, {"input.value": lines})])
    assert trajectory.root.input == lines
    assert trajectory.warnings == []


def test_what_is_not_read_is_shown_as_it_came_with_a_warning() -> None:
    dense = hostile_text("one message of many parts", SIZE)
    spans = [
        make_span(1, 0, {"openinference.span.kind": "AGENT", "input.value": "Hello"}),
        make_span(2, 1, {"openinference.span.kind": "LLM", "input.value": dense}),
    ]
    trajectory = extract(KEY, spans)
    (call,) = trajectory.agent_steps[0].steps
    assert dense in call.input or dense in call.input.replace("\\", "")
    assert any("shown as they came" in warning for warning in trajectory.warnings)


def test_what_is_long_and_not_dense_is_read() -> None:
    cells = ",".join("1" * 100_000)
    told = f'[{{"role":"user","content":"{cells}"}}]'
    spans = [make_span(1, 0, {"openinference.span.kind": "LLM", "input.value": told}, scope=SCOPE)]
    trajectory = extract(KEY, spans)
    assert trajectory.root.input == told
    assert trajectory.warnings == []


@pytest.mark.parametrize("part", ["a.", "0.", "message.tool_calls.0."])
def test_flattened_keys(part: str) -> None:
    keys = [f"llm.input_messages.{n}.{part * 200}"[:90] for n in range(800)]
    attributes = {"openinference.span.kind": "LLM", **dict.fromkeys(keys, "")}
    gc.collect()
    tracemalloc.start()
    trajectory = extract(KEY, [make_span(1, 0, attributes)])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= MAX_BYTES_PER_BYTE * sum(map(len, keys))
    assert any("shown as they came" in warning for warning in trajectory.warnings)
