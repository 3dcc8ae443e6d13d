"""``spanloom backup`` of a service under load, and ``spanloom restore`` into a new directory."""

from __future__ import annotations

import json
import shutil
import time
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from tests.support import programs
from tests.support.ledger import Account, Ledger, Outcome, make_requests
from tests.support.senders import GrpcClient, Load
from tests.support.settling import check_api, check_store
from tests.support.stored import read_stored

from spanloom.process.datadir import FORMAT

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tests.conftest import RunningSpanloom, StartSpanloom

QUICK = ("serve", "--batch-wait-s=0.05", "--root-quiet-s=0.2", "--no-root-quiet-s=0.5")


def run(*arguments: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run a ``spanloom`` command to its end; module fixtures can use it too."""
    return programs.run("-m", "spanloom", *arguments, env=env)


def send(spanloom: RunningSpanloom, ledger: Ledger, name: str, count: int) -> None:
    client = GrpcClient(spanloom.addresses["otlp_grpc"], packed=False)
    requests = make_requests(name)
    for _ in range(count):
        request = next(requests)
        assert client.send(request) is Outcome.ACKNOWLEDGED
        ledger.note(request, Outcome.ACKNOWLEDGED)
    client.close()


def documents(spanloom: RunningSpanloom, ledger: Ledger) -> dict[str, bytes]:
    """Return the document of every acknowledged trace, byte for byte."""
    found = {}
    for trace_id in ledger.account().acknowledged_by_trace():
        answer = httpx.get(f"{spanloom.api}/v1/trajectories/{trace_id}")
        assert answer.status_code == 200
        found[trace_id] = answer.content
    return found


def test_a_backup_under_load_has_all_that_was_acknowledged_before_it_began(
    start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    first, settled, ledger = start_spanloom(*QUICK), Ledger(), Ledger()
    send(first, settled, "settled", 60)
    check_api(first.api, settled.account())
    before = documents(first, settled)
    target, restored = tmp_path / "backups" / "monday", tmp_path / "restored"
    with Load(first.addresses, ledger, "under way"):
        while len(ledger.requests(Outcome.ACKNOWLEDGED)) < 100:
            assert first.process.poll() is None
        acknowledged = ledger.account().acknowledged
        done = run(
            "backup", str(target), f"--data-dir={tmp_path / 'data'}", f"--api-url={first.api}"
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert not (tmp_path / "data" / "store" / "shadow" / "backup").exists()
    sent = {**settled.account().sent, **ledger.account().sent}
    assert first.stop() == 0
    assert len(ledger.account().acknowledged) > len(acknowledged), "there was no load meanwhile"

    back = run("restore", str(target), f"--data-dir={restored}")
    assert (back.returncode, back.stderr) == (0, "")
    account = Account(sent, acknowledged | settled.account().acknowledged)
    second = start_spanloom(*QUICK, data_dir=restored)
    check_api(second.api, account)
    assert documents(second, settled) == before
    assert second.stop() == 0
    assert second.complaints == []

    # Spans acknowledged during the backup may be in it; if so, they are shown as well.
    stored = Account(sent, frozenset(read_stored(restored)["copies"]))
    assert stored.acknowledged >= account.acknowledged
    third = start_spanloom(*QUICK, data_dir=restored)
    in_api = check_api(third.api, stored)
    assert third.stop() == 0
    check_store(restored, stored, in_api)


@pytest.fixture(scope="module")
def backup(
    start_shared_spanloom: StartSpanloom, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Ledger]:
    """Return a backup of a stopped service's directory, with a key, and the ledger of its spans."""
    spanloom, ledger = start_shared_spanloom(*QUICK), Ledger()
    send(spanloom, ledger, "unused", 5)
    check_api(spanloom.api, ledger.account())
    view = {"page": "runs", "name": "of the team", "parameters": {"since": "7d"}}
    httpx.post(f"{spanloom.api}/v1/views", json=view).raise_for_status()
    assert spanloom.stop() == 0
    target = tmp_path_factory.mktemp("backup")  # it may exist if it is empty
    data = f"--data-dir={spanloom.addresses['data_dir']}"
    made = run("keys", "create", "--all-projects", "--scopes=read", data)
    (target.parent / "key").write_text(made.stdout.strip())
    done = run("backup", str(target), data)
    assert (done.returncode, done.stderr) == (0, "")
    return target, ledger


def test_a_directory_that_nobody_uses_is_copied_with_its_keys(
    backup: tuple[Path, Ledger], start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    source, ledger = backup
    data = tmp_path / "there" / "data"
    assert run("restore", str(source), f"--data-dir={data}").returncode == 0
    assert {path.name for path in data.iterdir()} >= {"FORMAT", "keys.sqlite", "spool.sqlite"}
    assert not {path.name for path in data.iterdir()} & {"lock", "backup.json", "restoring"}
    files = [path for path in source.rglob("*") if path.is_file()]
    modes = {path.stat().st_mode & 0o077 for path in (*files, source)}
    assert modes == {0}, "others may read the backup"
    spanloom = start_spanloom(*QUICK, data_dir=data)
    spanloom.wait_until_ready()
    traces = f"{spanloom.api}/v1/trajectories"
    assert httpx.get(traces).status_code == 401
    key = {"x-api-key": (source.parent / "key").read_text()}
    answer = httpx.get(f"{traces}?has_steps=any", headers=key)
    listed = {item["trace_id"] for item in answer.json()["items"]}
    assert listed == set(ledger.account().acknowledged_by_trace())
    views = httpx.get(f"{spanloom.api}/v1/views", headers=key).json()["items"]
    assert [view["name"] for view in views] == ["of the team"]
    assert spanloom.stop() == 0


def flip_a_byte(backup: Path) -> None:
    file = max((backup / "store" / "store").rglob("*.bin"), key=lambda path: path.stat().st_size)
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def edit(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    def damage(backup: Path) -> None:
        manifest = json.loads((backup / "backup.json").read_text())
        change(manifest)
        (backup / "backup.json").write_text(json.dumps(manifest))

    return damage


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "a bit": (flip_a_byte, "is damaged: store/store/"),
    "a lost file": (lambda b: (b / "keys.sqlite").unlink(), "keys.sqlite"),
    "a cut file": (lambda b: (b / "spool.sqlite").write_bytes(b""), "is damaged: spool.sqlite"),
    "no manifest": (lambda b: (b / "backup.json").unlink(), "holds no finished backup"),
    "half a manifest": (
        lambda b: (b / "backup.json").write_bytes((b / "backup.json").read_bytes()[:-9]),
        "holds no finished backup",
    ),
    "a manifest of nothing": (edit(lambda m: m.pop("files")), "holds no finished backup"),
    "a newer format": (edit(lambda m: m.update(format=FORMAT + 1)), "newer Spanloom"),
    "a file elsewhere": (
        edit(lambda m: m["files"].update({"../../outside": "0"})),
        "names the file ../../outside",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_backup_is_refused_in_one_line(
    damage: str, backup: tuple[Path, Ledger], tmp_path: Path
) -> None:
    copy, data = tmp_path / "copy", tmp_path / "data"
    shutil.copytree(backup[0], copy)
    harm, said = DAMAGES[damage]
    harm(copy)
    ended = run("restore", str(copy), f"--data-dir={data}")
    assert ended.returncode == 1
    assert said in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert not data.exists() or not any(data.iterdir())
    assert not (tmp_path / "outside").exists()


def test_nothing_is_written_where_there_is_something(
    backup: tuple[Path, Ledger], tmp_path: Path
) -> None:
    used_data = tmp_path / "data"
    assert run("restore", str(backup[0]), f"--data-dir={used_data}").returncode == 0
    before = sorted(used_data.rglob("*"))
    for command in (
        ("restore", str(backup[0]), f"--data-dir={used_data}"),
        ("backup", str(used_data), f"--data-dir={used_data}"),
        ("backup", str(backup[0]), f"--data-dir={used_data}"),
    ):
        used = run(*command)
        assert (used.returncode, used.stderr.count("\n")) == (1, 1)
        assert "is not empty" in used.stderr
    made_by_opening = {used_data / "lock", used_data / "backup.lock"}
    assert set(used_data.rglob("*")) - made_by_opening == set(before)


def test_only_a_key_of_all_projects_with_the_scope_admin_may_ask(
    start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    data, target = f"--data-dir={tmp_path / 'data'}", tmp_path / "backups" / "monday"
    spanloom = start_spanloom(*QUICK)
    keys = {
        who: run("keys", "create", *who.split(), data).stdout.strip()
        for who in (
            "--all-projects --scopes=ingest,read,annotate",
            "--project=p --scopes=admin",
            "--all-projects --scopes=admin",
        )
    }
    spanloom.wait_until_ready()
    while httpx.get(f"{spanloom.api}/v1/trajectories").status_code != 401:
        time.sleep(0.1)  # a new key counts within a second
    for key, status in zip(["wrong", *keys.values()], (401, 403, 403, 0), strict=True):
        at = f"--api-url={spanloom.api}"
        ended = run("backup", str(target), data, at, env={"SPANLOOM_API_KEY": key})
        if status:
            assert (ended.returncode, ended.stderr.count("\n")) == (1, 1), ended.stderr
            assert not target.exists()
            assert list(target.parent.iterdir()) == []
        else:
            assert (ended.returncode, ended.stderr) == (0, "")
    for key in list(keys.values())[:2]:
        asked = httpx.post(f"{spanloom.api}/v1/snapshots", headers={"x-api-key": key})
        assert asked.status_code == 403


def test_a_service_that_works_elsewhere_is_found_out(
    start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    """The backup is refused, because the service's snapshot would be of another directory."""
    one = start_spanloom(*QUICK, data_dir=tmp_path / "one")
    other = start_spanloom(*QUICK, data_dir=tmp_path / "other")
    for spanloom in (one, other):
        spanloom.wait_until_ready()
    data, at = f"--data-dir={tmp_path / 'one'}", f"--api-url={other.api}"
    ended = run("backup", str(tmp_path / "copy"), data, at)
    assert (ended.returncode, ended.stderr.count("\n")) == (1, 1)
    assert "works in another data directory" in ended.stderr
    assert not (tmp_path / "copy").exists()
