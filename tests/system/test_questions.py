"""The ten questions of ``docs/questions.md`` have the same answers by shell, Python, SQL, MCP."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import io
import json
import re
import shlex
import time
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from tests.support import programs
from tests.support.agents import REPOSITORY
from tests.support.otlp_requests import START_NS, message_of, wire_span
from tests.support.written_examples import all_examples

from spanloom import Client

mcp = pytest.importorskip("mcp", reason="the MCP library is not installed")

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.conftest import RunningSpanloom, StartSpanloom

PAGE = "docs/questions.md"
WAYS = ("sh", "python", "sql", "json")
RECORDED = ("s04_handoff-oi", "s10_hitl-oi", "s06_toolraise-oi", "s24_retry-ls")
REFUND = "c0" * 16
INDEXED_S = 90.0
BLOCKS = [example for example in all_examples() if example.page == PAGE]
QUESTIONS = [BLOCKS[at : at + len(WAYS)] for at in range(0, len(BLOCKS), len(WAYS))]
TRACE_ID = re.compile(r"\b[0-9a-f]{32}\b")


def refund_run() -> bytes:
    """Return a run with a handoff, a loop after a failure, and a refund."""
    operation = "gen_ai.operation.name"
    search = {operation: "execute_tool", "gen_ai.tool.name": "search"}
    chat: dict[str, object] = {
        operation: "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-4o",
        "gen_ai.usage.input_tokens": 1000,
        "gen_ai.usage.output_tokens": 100,
        "gen_ai.response.time_to_first_chunk": 0.25,
    }
    told: list[tuple[int, dict[str, object]]] = [
        (0, {operation: "invoke_agent", "gen_ai.agent.name": "clerk"}),
        (1, {operation: "invoke_agent", "gen_ai.agent.name": "refunds"}),
        (2, dict(search, **{"gen_ai.tool.call.arguments": '{"q": "退款"}', "error.type": "boom"})),
        (2, dict(search, **{"gen_ai.tool.call.arguments": '{"q": "退款"}'})),
        (2, dict(search, **{"gen_ai.tool.call.arguments": '{"q": "退款"}'})),
        (2, {operation: "execute_tool", "gen_ai.tool.name": "refund"}),
        (2, chat),
        (1, chat),
    ]
    spans = [
        wire_span(REFUND, n, parent, start_ns=START_NS + n * 2000, attributes=attributes)
        for n, (parent, attributes) in enumerate(told, 1)
    ]
    spans[2].status.code = 2  # type: ignore[assignment]  # STATUS_CODE_ERROR
    return message_of(spans).SerializeToString()


@pytest.fixture(scope="module")
def running(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    started = start_shared_spanloom(
        "serve", "--mcp", "--sql-port=0", "--root-quiet-s=0.2", "--no-root-quiet-s=0.5"
    )
    folder = REPOSITORY / "tests/fixtures/recorded"
    bodies = [gzip.decompress((folder / f"{name}.otlp.gz").read_bytes()) for name in RECORDED]
    kind = {"Content-Type": "application/x-protobuf"}
    for body in [*bodies, refund_run()]:
        url = f"{started.addresses['otlp_http']}/v1/traces"
        assert httpx.post(url, content=body, headers=kind).is_success
    until = time.monotonic() + INDEXED_S
    while '"trace_id"' not in httpx.get(f"{started.api}/v1/search", params={"q": "退款"}).text:
        assert time.monotonic() < until, "what was said is not found"
        time.sleep(0.5)
    return started


def from_shell(text: str, running: RunningSpanloom) -> object:
    words = shlex.split(text)
    ended = programs.run("-m", *words, env={"SPANLOOM_API_URL": running.api})
    assert ended.returncode == 0, ended.stderr
    return [json.loads(line) for line in ended.stdout.splitlines()]


def from_python(text: str, running: RunningSpanloom) -> object:
    printed = io.StringIO()
    with Client(running.api) as client, contextlib.redirect_stdout(printed):
        exec(text, {"client": client, "json": json})  # noqa: S102  # our own page
    said = printed.getvalue()
    return json.loads(said) if said.startswith("[") else said


def from_sql(text: str, running: RunningSpanloom) -> object:
    asked = {"default_format": "JSONCompact"}
    answer = httpx.post(running.addresses["sql"], params=asked, content=text.encode())
    assert answer.is_success, answer.text
    return answer.json()["data"]


def from_agent(text: str, running: RunningSpanloom) -> object:
    call = json.loads(text)

    async def ask() -> str:
        async with mcp.Client(f"{running.api}/mcp") as client:
            answer = await client.call_tool(call["tool"], call["arguments"])
            assert not answer.is_error, answer.content
            return "".join(part.text for part in answer.content)

    return json.loads(asyncio.run(ask()).split("\n", 1)[1])["items"]


ASK = dict(zip(WAYS, (from_shell, from_python, from_sql, from_agent), strict=True))


def reduced(answer: object, *, to_runs: bool) -> object:
    """Return the ids of runs, or sorted rows whose numbers have the precision of all ways."""
    if to_runs:
        shown = answer if isinstance(answer, str) else json.dumps(answer)
        return sorted(set(TRACE_ID.findall(shown)))
    rows: Iterable[Any] = answer  # type: ignore[assignment]
    values = [list(row.values()) if isinstance(row, dict) else row for row in rows]
    return sorted(([_plain(value) for value in row] for row in values), key=repr)


def _plain(value: object) -> object:
    if isinstance(value, str) and re.fullmatch(r"-?\d+(\.\d+)?", value):
        value = float(value)  # 64-bit integers are strings in ClickHouse's JSON
    return f"{value:.6g}" if isinstance(value, (int, float)) else value


def test_there_are_ten_questions_each_asked_in_every_way() -> None:
    assert [tuple(block.language for block in asked) for asked in QUESTIONS] == [WAYS] * 10


@pytest.mark.parametrize("number", range(10))
def test_every_way_of_asking_has_the_same_answer(number: int, running: RunningSpanloom) -> None:
    asked = QUESTIONS[number]
    to_runs = "list" in asked[0].text
    answers = {
        block.language: reduced(ASK[block.language](block.text, running), to_runs=to_runs)
        for block in asked
    }
    assert answers["sh"], "an empty answer tells nothing"
    assert answers == dict.fromkeys(WAYS, answers["sh"])
