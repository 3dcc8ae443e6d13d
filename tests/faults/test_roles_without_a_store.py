"""Roles without a reachable ClickHouse server: they wait for it, and collectors accept spans.

Black-box tests: commands run over a real server and are checked by ``/livez``, ``/readyz``, their
exit status and their logs.
"""

from __future__ import annotations

import json
import os
import signal
import stat
import time
from collections import Counter
from typing import TYPE_CHECKING

import httpx
import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.support.ledger import Ledger
from tests.support.senders import Load
from tests.support.settling import check_api
from tests.support.started_server import StartedServer, started_server
from tests.support.stored import COPIES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from tests.conftest import RunningSpanloom, RunSpanloom, StartSpanloom, Tell

EAGER = ("--root-quiet-s=0.3", "--no-root-quiet-s=1")
SOON_S = 60.0
LISTENS_S = 20.0
LINES_A_MINUTE = 20
ORDER = ("api", "extract", "collect", "keeper")
AWAY = "the store is not available"
BACK = "the store is available again"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[StartedServer]:
    with started_server(tmp_path / "server") as started:
        yield started


@pytest.fixture
def made(tmp_path: Path, made_server: Path) -> Iterator[StartedServer]:
    """Yield a server that already has the tables, because creating them takes long."""
    with started_server(tmp_path / "server", made=made_server) as started:
        yield started


class Team:
    """Started roles by name, each with a data directory of its own."""

    def __init__(self, start: StartSpanloom, server: StartedServer, place: Path) -> None:
        self._start = start
        self._url = server.url()
        self._place = place
        self.parts: dict[str, RunningSpanloom] = {}
        self._ended: list[RunningSpanloom] = []

    def start(self, role: str, *flags: str, name: str = "") -> RunningSpanloom:
        """Start a role over its own data directory, for the first time or after a kill."""
        name = name or role
        eager = EAGER if role == "extract" else ()
        data = self._place / f"data-{name}"
        part = self._start(
            role, f"--store-url={self._url}", *eager, *flags, data_dir=data, bare=True
        )
        self.parts[name] = part
        return part

    def kill(self, name: str) -> None:
        part = self.parts.pop(name)
        assert part.stop(signal.SIGKILL) == -signal.SIGKILL
        self._ended.append(part)

    def check_alive(self) -> None:
        for name, part in self.parts.items():
            assert part.process.poll() is None, f"{name} has ended: {part.log}"
            assert httpx.get(f"{part.api}/livez").json() == {"status": "ok"}

    def await_ready(self) -> None:
        for part in self.parts.values():
            await_status(part, 200)

    def lines(self) -> Sequence[Mapping[str, object]]:
        """Return the log lines of all roles, killed ones included."""
        texts = [part.log for part in (*self.parts.values(), *self._ended)]
        return [json.loads(line) for text in texts for line in text.splitlines()]

    def stop(self) -> None:
        for part in self.parts.values():
            assert part.stop() == 0, part.log


def await_status(part: RunningSpanloom, status: int) -> str:
    """Wait until ``/readyz`` answers with this status; return the body."""
    until = time.monotonic() + SOON_S
    while (answer := httpx.get(f"{part.api}/readyz")).status_code != status:
        assert time.monotonic() < until, f"{answer.text}\n{part.log}"
        time.sleep(0.1)
    return answer.text


def check_once(server: StartedServer, team: Team, ledger: Ledger) -> None:
    """Assert that no span was refused, and that each is stored once and shown once."""
    account = ledger.account()
    assert account.sent
    assert account.acknowledged == account.sent.keys()
    until = time.monotonic() + SOON_S
    copies: dict[str, int] = {}
    while copies.keys() != account.sent.keys():
        assert time.monotonic() < until, len(copies)
        copies = {str(key): n for key, n in server.client().query(COPIES).result_rows}
        time.sleep(0.1)
    assert {key: n for key, n in copies.items() if n != 1} == {}
    assert check_api(team.parts["api"].api, account) == account.acknowledged


@pytest.mark.nightly
def test_roles_start_before_the_store(
    start_spanloom: StartSpanloom, server: StartedServer, tmp_path: Path
) -> None:
    """Even the worst order works: readers first, then the server, and the keeper last."""
    server.end(signal.SIGKILL)
    team, ledger = Team(start_spanloom, server, tmp_path), Ledger()
    for role in ORDER[:3]:
        team.start(role)
    await_status(team.parts["collect"], 200)
    with Load(team.parts["collect"].addresses, ledger, "before the store"):
        time.sleep(0.5)
    for role in ("api", "extract"):
        assert "cannot open the store" in await_status(team.parts[role], 503)
    server.start()
    for role in ("api", "extract"):
        until = time.monotonic() + SOON_S
        while "has no tables yet" not in (text := await_status(team.parts[role], 503)):
            assert time.monotonic() < until, text
    with Load(team.parts["collect"].addresses, ledger, "before the tables"):
        time.sleep(0.5)
    team.check_alive()
    team.start("keeper")
    team.await_ready()
    check_once(server, team, ledger)
    team.check_alive()
    for part in team.parts.values():
        assert part.log.count(AWAY) <= 1, part.log
    team.stop()


@pytest.mark.nightly
def test_a_keeper_waits_for_the_store(
    start_spanloom: StartSpanloom, server: StartedServer, tmp_path: Path
) -> None:
    server.end(signal.SIGKILL)
    team = Team(start_spanloom, server, tmp_path)
    keeper = team.start("keeper")
    assert "the tables are not up to date yet" in await_status(keeper, 503)
    server.start()
    await_status(keeper, 200)
    assert server.client().command("SELECT count() > 0 FROM schema_migrations")
    team.stop()


@pytest.mark.nightly
def test_serve_takes_in_spans_while_the_server_hangs(
    start_spanloom: StartSpanloom, server: StartedServer
) -> None:
    """While the server accepts connections without answering, spans wait; then they are stored."""
    os.kill(server.pid, signal.SIGSTOP)
    began = time.monotonic()
    try:
        serve = start_spanloom("serve", f"--store-url={server.url()}", bare=True)
        assert send(serve).status_code == 200
        assert time.monotonic() - began < LISTENS_S
    finally:
        os.kill(server.pid, signal.SIGCONT)
    await_status(serve, 200)
    until = time.monotonic() + SOON_S
    while server.client().command("SELECT count() FROM otel_traces") != 1:
        assert time.monotonic() < until, serve.log
        time.sleep(0.1)
    assert serve.stop() == 0


@pytest.fixture
def settled(start_spanloom: StartSpanloom, made: StartedServer, tmp_path: Path) -> Team:
    """Return all roles, ready, with two processes of ``collect`` and of ``extract``."""
    team = Team(start_spanloom, made, tmp_path)
    team.start("keeper")
    for role in ("collect", "extract", "api"):
        team.start(role)
    team.start("collect", name="other collect")
    team.start("extract", name="other extract")
    team.await_ready()
    return team


def outlast(
    team: Team, server: StartedServer, seconds: float, how: signal.Signals, ledger: Ledger
) -> float:
    """Kill or suspend the server for a while under load, and restart a collector meanwhile.

    Return the seconds for which the server was away.
    """
    away = time.time()
    if how is signal.SIGSTOP:
        os.kill(server.pid, signal.SIGSTOP)
    else:
        server.end(how)
    until = time.monotonic() + seconds
    with Load(team.parts["collect"].addresses, ledger, how.name):
        time.sleep(1)
    team.kill("collect")
    team.start("collect")
    while True:
        for name in ("collect", "other collect"):
            with Load(team.parts[name].addresses, ledger, f"{name} {time.monotonic()}"):
                assert httpx.get(f"{team.parts[name].api}/readyz").status_code == 200
                time.sleep(0.2)
        team.check_alive()
        if time.monotonic() > until:
            break
        time.sleep(min(20.0, seconds / 4))
    if how is signal.SIGSTOP:
        os.kill(server.pid, signal.SIGCONT)
    else:
        server.start()
    return time.time() - away


def test_outages_of_the_store_are_none_of_intake(
    settled: Team, made: StartedServer, tell: Tell
) -> None:
    """The store's server is killed, and later it hangs; collectors acknowledge all spans."""
    ledger = Ledger()
    check_outage(settled, made, 4, signal.SIGKILL, ledger, tell)
    check_outage(settled, made, 4, signal.SIGSTOP, ledger, tell, outages=2)
    settled.stop()


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_an_outage_of_10_minutes_is_none_of_intake(
    settled: Team, made: StartedServer, tell: Tell
) -> None:
    check_outage(settled, made, 600, signal.SIGKILL, Ledger(), tell)
    settled.stop()


def check_outage(
    team: Team,
    server: StartedServer,
    seconds: float,
    how: signal.Signals,
    ledger: Ledger,
    tell: Tell,
    outages: int = 1,
) -> None:
    """Make the server unavailable; assert that all spans are accepted and few lines are logged.

    ``ledger`` has the spans sent so far; ``outages`` counts the outages, including this one.
    """
    before = minutes_of(team)
    lasted_s = outlast(team, server, seconds, how, ledger)
    team.await_ready()
    check_once(server, team, ledger)
    team.check_alive()
    said = minutes_of(team) - before
    most = max(said.values(), default=0)
    tell(f"store away for {lasted_s:.0f} s: {said.total()} lines, {most} in a minute at most")
    assert most <= LINES_A_MINUTE, team.lines()
    for name, part in team.parts.items():
        if AWAY in part.log:
            # A second line may follow while the server, just back, is overloaded.
            assert 1 <= part.log.count(AWAY) == part.log.count(BACK) <= 2 * outages, name


def minutes_of(team: Team) -> Counter[str]:
    """Return how many lines were logged in each minute."""
    return Counter(str(line["timestamp"])[:16] for line in team.lines())


NO_STORE = "clickhouse://default:@127.0.0.1:1/spanloom"
ROOT = "0123456789abcdef"


def send(part: RunningSpanloom, key: str = "", trace: str = "ab" * 16) -> httpx.Response:
    """Send one span as JSON."""
    times = {"startTimeUnixNano": "1700000000000000000", "endTimeUnixNano": "1700000001000000000"}
    span = {"traceId": trace, "spanId": ROOT, "name": "run", **times}
    body = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return httpx.post(f"{part.addresses['otlp_http']}/v1/traces", json=body, headers=headers)


@pytest.mark.nightly
def test_a_collector_goes_on_with_the_keys_it_knew(
    start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, made: StartedServer, tmp_path: Path
) -> None:
    """A collector on a public address, restarted in an outage, still accepts known valid keys."""
    team = Team(start_spanloom, made, tmp_path)
    await_status(team.start("keeper"), 200)
    url = f"--store-url={made.url()}"

    def make(project: str) -> str:
        made = run_spanloom("keys", "create", f"--project={project}", "--scopes=ingest", url)
        return made.stdout.strip()

    good, revoked = make("travel"), make("travel")
    assert run_spanloom("keys", "revoke", revoked.split("_")[1], url).returncode == 0
    await_status(team.start("collect", "--host=0.0.0.0"), 200)
    made.end(signal.SIGKILL)
    team.kill("collect")
    team.kill("keeper")
    collect = team.start("collect", "--host=0.0.0.0")
    await_status(collect, 200)
    assert send(collect, good).status_code == 200
    for wrong in ("", revoked, good[:-1] + "~"):
        assert send(collect, wrong).status_code == 401
    file = tmp_path / "data-collect" / "keys-known.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not any(key.split("_", 2)[2] in file.read_text() for key in (good, revoked))
    made.start()
    team.start("keeper")
    stored = "SELECT count() FROM otel_traces WHERE Project = 'travel'"
    until = time.monotonic() + SOON_S
    while made.client().command(stored) != 1:
        assert time.monotonic() < until, collect.log
        time.sleep(0.1)
    team.stop()


def test_without_any_keys_known_nobody_from_elsewhere_is_let_in(
    start_spanloom: StartSpanloom,
) -> None:
    """Senders from other machines get 503 with a retry hint until keys are known."""
    collect = start_spanloom("collect", f"--store-url={NO_STORE}", "--host=0.0.0.0", bare=True)
    assert "no keys are known yet" in await_status(collect, 503)
    for key in ("", "sl_0123456789ab_" + "a" * 43):
        answer = send(collect, key)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert httpx.get(f"{collect.api}/metrics").status_code == 503
    assert httpx.get(f"{collect.api}/livez").status_code == 200
    assert collect.stop() == 0


def test_a_key_not_checked_yet_is_no_key(start_spanloom: StartSpanloom) -> None:
    """On loopback, spans without a key are accepted, but a key must be checked first."""
    collect = start_spanloom("collect", f"--store-url={NO_STORE}", bare=True)
    await_status(collect, 200)
    assert send(collect).status_code == 200
    assert send(collect, "sl_0123456789ab_" + "a" * 43).status_code == 503
    assert httpx.get(f"{collect.api}/metrics").status_code == 503  # not for senders
    assert collect.stop() == 0


@pytest.mark.nightly
def test_a_full_spool_is_not_ready(start_spanloom: StartSpanloom) -> None:
    collect = start_spanloom(
        "collect", f"--store-url={NO_STORE}", "--spool-max-bytes=1MiB", bare=True
    )
    await_status(collect, 200)
    number = 0
    while send_large(collect, number) == 200:
        number += 1
    assert 3 <= number <= 8
    assert "the spool is full" in await_status(collect, 503)
    assert httpx.get(f"{collect.api}/livez").status_code == 200
    assert collect.stop() == 0


def send_large(part: RunningSpanloom, number: int) -> int:
    data = TracesData()
    span = data.resource_spans.add().scope_spans.add().spans.add()
    span.span_id, span.name = b"12345678", "x" * 180_000
    span.trace_id = (number + 1).to_bytes(16, "big")
    span.start_time_unix_nano, span.end_time_unix_nano = 10**18, 10**18 + 1
    return httpx.post(
        f"{part.addresses['otlp_http']}/v1/traces",
        content=data.SerializeToString(),
        headers={"Content-Type": "application/x-protobuf"},
    ).status_code


@pytest.mark.nightly
def test_a_store_of_a_newer_release_ends_the_process(
    start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, made: StartedServer, tmp_path: Path
) -> None:
    """Processes end while working, at their start, or once the store appears, without waiting."""
    client, working = made.client(), Team(start_spanloom, made, tmp_path)
    for role in ("collect", "extract", "api"):
        working.start(role)
    working.await_ready()
    client.command("INSERT INTO schema_migrations (number, name, checksum) VALUES (9999, 'x', 'y')")
    client.command("INSERT INTO store_facts (Name, Value) VALUES ('writes_from', '9999_x')")
    client.close()
    for part in working.parts.values():
        assert part.process.wait(SOON_S) == 1
        assert "was written by a newer Spanloom" in part.log.splitlines()[-1]
    flags = ["--api-port=0", f"--data-dir={tmp_path / 'd'}", f"--store-url={made.url()}"]
    refused = run_spanloom("api", *flags)
    assert refused.returncode == 1
    assert "was written by a newer Spanloom" in refused.stderr.splitlines()[-1]
    made.end(signal.SIGKILL)
    team = Team(start_spanloom, made, tmp_path)
    api = team.start("api")
    assert "cannot open the store" in await_status(api, 503)
    made.start()
    assert api.process.wait(SOON_S) == 1
    assert "was written by a newer Spanloom" in api.log.splitlines()[-1]
