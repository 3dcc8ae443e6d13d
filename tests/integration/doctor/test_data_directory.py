"""`spanloom doctor` as a process: what is wrong in a data directory, its spool and its store."""

from __future__ import annotations

import shutil
import signal
from typing import TYPE_CHECKING

from tests.support.doctor import GOOD, Doctor, change_spool, change_store, send

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunSpanloom, StartSpanloom


def test_a_used_directory_is_well(doctor: Doctor, served: Path) -> None:
    doctor.examine(served)
    assert (doctor.status, doctor.problems) == (0, [])
    assert set(doctor.warnings) <= {"disk"}, "the machine's disk may be smaller than the bound"
    doctor.expect("directory", "ok", str(served))
    for check in ("packages", "owner", "sizes", "spool", "clock", "store", "schema", "keys"):
        doctor.expect(check, "ok")
    for check in ("dead-letters", "detached-parts", "quarantine"):
        doctor.expect(check, "ok", "none")
    doctor.expect("certificate", "skipped", "TLS")
    doctor.expect("parts", "skipped", "no process")


def test_no_directory_another_one_and_an_empty_one(doctor: Doctor, tmp_path: Path) -> None:
    doctor.examine(tmp_path / "nowhere").expect("directory", "problem", "there is no", "serve")
    assert not (tmp_path / "nowhere").exists()
    other = tmp_path / "photos"
    other.mkdir()
    assert doctor.examine(other).status == 0
    doctor.expect("directory", "ok", "empty")
    assert list(other.iterdir()) == [], "an examination makes nothing"
    (other / "cat.jpg").write_bytes(b"meow")
    doctor.examine(other).expect("directory", "problem", "not a data directory", "--data-dir")
    assert [file.name for file in other.iterdir()] == ["cat.jpg"]


def test_a_newer_format_is_a_problem_and_left_alone(doctor: Doctor, data: Path) -> None:
    (data / "FORMAT").write_text("99\n")
    doctor.examine(data).expect("directory", "problem", "99", "upgrade")
    doctor.expect("store", "skipped")


def test_a_killed_owner_and_what_it_left_in_the_spool(
    doctor: Doctor, start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    spanloom = start_spanloom("serve", "--batch-wait-s=60", data_dir=tmp_path / "data")
    send(spanloom, GOOD)
    assert spanloom.stop(signal.SIGKILL) == -signal.SIGKILL
    doctor.examine(tmp_path / "data")
    doctor.expect("owner", "warning", str(spanloom.process.pid), "spanloom serve --data-dir")
    doctor.expect("spool", "warning", "1 request waiting", "spanloom serve --data-dir")
    assert doctor.status == 0


def test_a_broken_spool_and_a_newer_one(doctor: Doctor, data: Path) -> None:
    change_spool(data, "PRAGMA user_version = 99")
    doctor.examine(data).expect("disk", "problem", "99", "upgrade")
    doctor.expect("dead-letters", "skipped")
    (data / "spool.sqlite").write_bytes(b"no database at all" * 5_000)
    doctor.examine(data).expect("disk", "problem", "cannot be read", "backup")


def test_files_without_which_nothing_starts(doctor: Doctor, data: Path) -> None:
    for name in ("keys.sqlite", "observations.sqlite", "retention.toml"):
        (data / name).write_bytes(b"no database at all" * 5_000)
    assert doctor.examine(data).status == 1
    doctor.expect("keys", "problem", "cannot be read", "backup")
    doctor.expect("files", "problem", "observations.sqlite", "retention.toml", "backup")


def test_a_store_that_is_gone(doctor: Doctor, data: Path) -> None:
    change_spool(data, "UPDATE totals SET last_seq = 1")
    (data / "store").rename(data / "elsewhere")
    doctor.examine(data).expect("store", "problem", "there is no", "mount", "backup")


def test_a_store_whose_list_of_schema_files_is_gone(
    doctor: Doctor, run_spanloom: RunSpanloom, data: Path
) -> None:
    change_store(
        data,
        "clickhouse_connect.get_client(interface='chdb', path=sys.argv[1])"
        ".command('TRUNCATE TABLE schema_migrations')",
    )
    doctor.examine(data).expect("schema", "problem", "no list of applied schema files", "restore")
    for command in ("serve", "migrate"):
        refused = run_spanloom(command, f"--data-dir={data}", *PORTS[command])
        assert (refused.returncode, refused.stderr.count("\n")) == (1, 1), refused.stderr
        assert "has lost the list" in refused.stderr


PORTS = {
    "serve": ("--otlp-grpc-port=0", "--otlp-http-port=0", "--api-port=0"),
    "migrate": (),
}


def test_a_clock_that_went_back(doctor: Doctor, data: Path) -> None:
    change_spool(data, "UPDATE totals SET last_seq = last_seq + 7200 * 1000000")
    doctor.examine(data).expect("clock", "problem", "2.0 h", "NTP")


def test_a_spool_that_is_almost_full(doctor: Doctor, data: Path) -> None:
    change_spool(data, "UPDATE totals SET records = 1, bytes = 7800000000")
    doctor.examine(data).expect("spool", "problem", "7.3 GiB of 8.0 GiB", "--spool-max-bytes")


def test_tables_of_a_newer_spanloom(doctor: Doctor, data: Path) -> None:
    insert = (
        "INSERT INTO schema_migrations (number, name, checksum) VALUES (9999, '9999_x.sql', '')"
    )
    change_store(
        data,
        "client = clickhouse_connect.get_client(interface='chdb', path=sys.argv[1])",
        f"client.command({insert!r})",
    )
    doctor.examine(data).expect("schema", "problem", "9999_x.sql", "upgrade")
    doctor.expect("quarantine", "skipped", "another version")


def test_a_store_without_tables_and_one_that_is_none(doctor: Doctor, data: Path) -> None:
    shutil.rmtree(data / "store")
    for file in data.glob("spool.sqlite*"):
        file.unlink()
    doctor.examine(data).expect("store", "skipped", "no store yet")
    (data / "store").mkdir()
    doctor.examine(data).expect("schema", "warning", f"spanloom migrate --data-dir {data}")
    shutil.rmtree(data / "store")
    (data / "store").write_text("a file")
    doctor.examine(data).expect("store", "problem")


def test_a_part_that_the_engine_put_aside(doctor: Doctor, data: Path) -> None:
    table = (data / "store" / "data" / "default" / "otel_traces").resolve()
    [part, *_] = [path for path in table.iterdir() if path.name.startswith("20")] or [
        path for path in table.iterdir() if (path / "columns.txt").exists()
    ]
    shutil.copytree(part, table / "detached" / f"broken-on-start_{part.name}")
    doctor.examine(data).expect("detached-parts", "problem", "otel_traces", "broken-on-start")


def test_a_trace_that_cannot_be_built(doctor: Doctor, data: Path) -> None:
    change_store(
        data,
        "with closing(open_store(url)) as store:",
        "    key = TraceKey('default', 'b' * 32)",
        "    store.progress.record_progress([Progress(key, 1, Status.LIVE, 3, 1, 'it went boom')])",
    )
    doctor.examine(data).expect("quarantine", "warning", "b" * 32, "it went boom", "replay")
    assert doctor.status == 0


def test_deleted_traces_that_the_keeper_has_not_removed(doctor: Doctor, data: Path) -> None:
    delete = "INSERT INTO deleted_traces SELECT DISTINCT Project, TraceId, 'x' FROM otel_traces"
    change_store(
        data,
        "client = clickhouse_connect.get_client(interface='chdb', path=sys.argv[1])",
        f"client.command({delete!r})",
    )
    doctor.examine(data).expect("deletions", "warning", "rows of deleted traces", "keeper")
