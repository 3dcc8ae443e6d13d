"""The same traces of a conversation show the same runs in any order of arrival."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from tests.support.extracting import T0_NS, World, sent, without_version

from spanloom.core.joining import parts
from spanloom.core.model.access import Reach

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@pytest.fixture(autouse=True, scope="module")
def any_rule() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "FRAGMENT", "")
        yield


class Sent(NamedTuple):
    """A span to send, or a log record if ``as_log``."""

    trace: int
    start_ms: int
    is_prompt: bool
    prompt: str
    session: str
    as_log: bool
    is_below: bool


BEFORE_MS = 60 * 3_600_000
"""How long ago all spans are, because times ahead of the service's clock cause a warning."""
SENT = st.builds(
    Sent,
    st.integers(1, 4),
    st.sampled_from([0, 10, 20, 30, 40, 50, 31 * 60_000, 25 * 3_600_000, 50 * 3_600_000]),
    st.booleans(),
    st.sampled_from(["", "", "P", "Q"]),
    st.sampled_from(["S", "S", "S", "T"]),
    st.booleans(),
    st.booleans(),
)


def attributes_of(one: Sent) -> dict[str, str]:
    name = {"event.name": "x.user_prompt" if one.is_prompt else "x.tool_call"}
    prompt = {"prompt_id": one.prompt} if one.prompt else {}
    return {**name, **prompt, "session.id": one.session}


def send(world: World, number: int, one: Sent) -> None:
    trace_id = f"{one.trace:02x}" * 16
    if not one.as_log:
        parent = 1 if one.is_below else 0
        attributes = attributes_of(one)
        start_ms = one.start_ms + number - BEFORE_MS
        world.send(sent(number + 10, parent, attributes, trace_id, start_ms))
        return
    request = ExportLogsServiceRequest()
    log = (
        request.resource_logs.add()
        .scope_logs.add()
        .log_records.add(
            trace_id=bytes.fromhex(trace_id),
            span_id=(10 + one.start_ms % 7).to_bytes(8, "big"),
            time_unix_nano=T0_NS + (one.start_ms + number - BEFORE_MS) * 10**6,
        )
    )
    for key, text in attributes_of(one).items():
        log.attributes.add(key=key).value.string_value = text
    world.send_logs(request.SerializeToString())


def documents(order: Sequence[tuple[int, Sent]], waits: Sequence[float]) -> dict[str, Any]:
    world = World()
    for (number, one), wait_s in zip(order, waits, strict=True):
        send(world, number, one)
        if wait_s:
            world.run(wait_s, every=0.7)
    world.run(200, every=2.0)
    ids = sorted({f"{one.trace:02x}" * 16 for _, one in order})
    found = {trace_id: world.store.documents.get(trace_id, Reach.ALL) for trace_id in ids}
    return {trace_id: without_version(d) for trace_id, d in found.items() if d is not None}


@given(st.data())
def test_any_order_shows_the_same(data: st.DataObject) -> None:
    numbered = list(enumerate(data.draw(st.lists(SENT, min_size=1, max_size=8))))
    mixed = data.draw(st.permutations(numbered))
    pauses = st.sampled_from([0, 0, 1.4, 70.0])
    waits = data.draw(st.lists(pauses, min_size=len(mixed), max_size=len(mixed)))
    assert documents(mixed, waits) == documents(numbered, [0] * len(numbered))


def test_a_home_loses_a_part_that_was_never_stored_with_it() -> None:
    """A part is first built into another home, before its right home is known."""
    alone = Sent(2, 0, is_prompt=False, prompt="", session="S", as_log=False, is_below=False)
    later = alone._replace(trace=3, start_ms=10)
    prompt = Sent(1, 0, is_prompt=True, prompt="", session="S", as_log=True, is_below=False)
    numbered = list(enumerate([later, alone, alone, alone, prompt]))
    at_once = documents(numbered, [0] * len(numbered))
    assert documents(numbered, [1.4, 0, 0, 0, 1.4]) == at_once
