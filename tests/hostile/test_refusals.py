"""B46, B49 and B50: refused requests, each next to an ordinary request that is accepted."""

from __future__ import annotations

import gzip
import secrets
from typing import TYPE_CHECKING

import pytest
from google.rpc.code_pb2 import Code
from tests.support.bad_inputs import one
from tests.support.buggy import BUG
from tests.support.doors import Doors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import RunningSpanloom, RunSpanloom, StartSpanloom

MIB = 2**20
PROTOBUF = {"Content-Type": "application/x-protobuf"}
SMALL = ("--max-in-flight-bytes=4194304", "--spool-max-bytes=1048576")
"""Options of a service with small limits."""


def normal() -> bytes:
    return one()(secrets.token_bytes(16))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("keys") / "data"


@pytest.fixture(scope="module")
def keys(data: Path, run_spanloom: RunSpanloom) -> dict[str, str]:
    """Make keys, keyed by what is wrong with them; ``good`` is the one that may ingest."""

    def make(scope: str) -> str:
        made = run_spanloom(
            "keys", "create", "--project=p", f"--scopes={scope}", f"--data-dir={data}"
        )
        return made.stdout.strip()

    revoked = make("ingest")
    run_spanloom("keys", "revoke", revoked.split("_")[1], f"--data-dir={data}")
    return {"good": make("ingest"), "wrong scope": make("read"), "revoked": revoked}


@pytest.fixture(scope="module")
def locked(
    data: Path, keys: dict[str, str], start_shared_spanloom: StartSpanloom
) -> Iterator[Doors]:
    assert keys
    service = start_shared_spanloom(data_dir=data)
    service.wait_until_ready()
    doors = Doors(service.addresses)
    yield doors
    doors.close()


@pytest.mark.parametrize(
    ("name", "http", "grpc"),
    [
        ("none", 401, Code.UNAUTHENTICATED),
        ("wrong", 401, Code.UNAUTHENTICATED),
        ("revoked", 401, Code.UNAUTHENTICATED),
        ("wrong scope", 403, Code.PERMISSION_DENIED),
    ],
)
def test_b46_keys(name: str, http: int, grpc: int, locked: Doors, keys: dict[str, str]) -> None:
    made_up = f"{keys['good'][:-4]}AAAA"
    key = {"none": "", "wrong": made_up}.get(name) or keys.get(name, "")
    named = {"authorization": f"Bearer {key}"} if key else {}
    refused = locked.post(normal(), headers=named)
    assert (refused.status, refused.code, refused.retry_s) == (http, grpc, None)
    called = locked.call(normal(), metadata=named)
    assert (called.status, called.retry_s) == (grpc, None)
    for answer in (refused, called):
        assert not key or key not in answer.message
    good = {"authorization": f"Bearer {keys['good']}"}
    assert (
        locked.post(normal(), headers=good).status,
        locked.call(normal(), metadata=good).status,
    ) == (200, 0)


@pytest.mark.parametrize("name", ["key", "api_key", "access_token"])
def test_b46_a_key_in_the_query_opens_nothing(
    name: str, locked: Doors, keys: dict[str, str]
) -> None:
    good = {"authorization": f"Bearer {keys['good']}"}
    url = f"/v1/traces?{name}={keys['good']}"
    for headers in (PROTOBUF, PROTOBUF | good):
        assert locked.http.post(url, content=normal(), headers=headers).status_code == 401
    assert locked.post(normal(), headers=good).status == 200


@pytest.fixture
def small(start_spanloom: StartSpanloom, tmp_path: Path) -> Iterator[Doors]:
    """Start a service with small limits over a store that refuses every write."""
    order = tmp_path / "order"
    order.write_text("everything", "utf-8")
    entry = ("-m", "tests.support.refusing_store", str(order))
    service = start_spanloom("serve", *SMALL, entry=entry)
    service.wait_until_ready()
    doors = Doors(service.addresses)
    yield doors
    doors.close()


def test_b49_overload_and_a_full_spool(small: Doors) -> None:
    """Beyond the in-flight limit one request is refused; with a full spool every request is."""
    bomb = gzip.compress(bytes(32 * MIB))
    over = small.post(bomb, headers={"Content-Encoding": "gzip"})
    assert (over.status, over.code) == (503, Code.UNAVAILABLE)
    assert over.retry_s is not None
    called = small.call(bytes(32 * MIB))
    assert (called.status, called.retry_s is None) == (Code.UNAVAILABLE, False)
    assert small.post(normal()).status == 200
    for size in (400_000, 100_000, 10_000, 500):
        while small.post(one(name="x" * size)(secrets.token_bytes(16))).status == 200:
            pass
    large = one(name="x" * 500)(secrets.token_bytes(16))
    full, called = small.post(large), small.call(large)
    assert (full.status, full.code, called.status) == (503, Code.UNAVAILABLE, Code.UNAVAILABLE)
    assert [1 <= (answer.retry_s or 0) <= 5 for answer in (full, called)] == [True, True]


def test_b49_a_full_quota(start_spanloom: StartSpanloom) -> None:
    service = start_spanloom("serve", "--project-stored-bytes=1")
    service.wait_until_ready()
    doors = Doors(service.addresses)
    assert doors.post(normal()).status == 200
    over, called = doors.post(normal()), doors.call(normal())
    assert (over.status, over.code) == (429, Code.RESOURCE_EXHAUSTED)
    assert called.status == Code.RESOURCE_EXHAUSTED
    assert [1 <= (answer.retry_s or 0) <= 5 for answer in (over, called)] == [True, True]
    doors.close()


@pytest.fixture
def buggy(start_spanloom: StartSpanloom) -> RunningSpanloom:
    service = start_spanloom(entry=("-m", "tests.support.buggy"))
    service.wait_until_ready()
    return service


def test_b50_a_bug_is_answered_and_logged_and_harms_nobody_else(buggy: RunningSpanloom) -> None:
    doors = Doors(buggy.addresses)
    bad = one(name=BUG)(secrets.token_bytes(16))
    answer, called = doors.post(bad), doors.call(bad)
    assert (answer.status, answer.code, called.status) == (500, Code.INTERNAL, Code.INTERNAL)
    for told in (answer, called):
        assert "log" in told.message
        assert "ZeroDivisionError" not in told.message
    assert (doors.post(normal()).status, doors.call(normal()).status) == (200, 0)
    assert "ZeroDivisionError" in buggy.log
    doors.close()
