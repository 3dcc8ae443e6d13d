"""A password is in no process list, no log, no error, whatever a server answers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from clickhouse_connect.driver.exceptions import DatabaseError
from tests.support.configured_server import SECRET, ConfiguredServer
from tests.support.examples import some_every_day
from tests.support.host_link import answers, host_link
from tests.support.programs import ROOT, clean_environment

from spanloom.core.errors import StartupError, StoreUnavailableError
from spanloom.storage.engine.address import StoreAddress
from spanloom.storage.engine.connect import connector_of
from spanloom.storage.engine.connection import Connection

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.service

SPANLOOM = ([sys.executable, "-m", "spanloom"], [str(Path(sys.executable).with_name("spanloom"))])
NO_PORTS = ("--api-port=0", "--otlp-grpc-port=0", "--otlp-http-port=0")


def command_lines(pid: int) -> list[str]:
    """Return the command line of a process and of all its children, as ``ps`` shows them."""
    tasks = Path(f"/proc/{pid}/task/{pid}/children")
    own = Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    return [own] + [
        line for child in tasks.read_text().split() for line in command_lines(int(child))
    ]


@pytest.mark.parametrize("entry", SPANLOOM, ids=["module", "script"])
@pytest.mark.parametrize("flag", some_every_day(["--store-url={}", "--store-url {}"]))
def test_a_password_leaves_the_process_list(
    server: ConfiguredServer, tmp_path: Path, entry: Sequence[str], flag: str
) -> None:
    url = flag.format(server.url()).split(" ")
    command = [*entry, "serve", *url, *NO_PORTS, f"--data-dir={tmp_path}", "--extract-workers=1"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=clean_environment()
    ) as process:
        try:
            assert process.stdout is not None
            told = json.loads(process.stdout.readline())
            lines = command_lines(process.pid)
            assert httpx.get(f"{told['api']}/readyz", timeout=20).status_code == 200
        finally:
            process.terminate()
            _, log = process.communicate(timeout=30)
    assert "--extract-workers=1" in lines[0]
    assert not [line for line in lines if SECRET in line]
    assert SECRET not in log
    assert process.returncode == 0, log


def test_what_a_server_repeats_is_said_without_the_password(tmp_path: Path) -> None:
    """It answers with the whole request, in which the password is a header in Base64, and more."""
    repeating = answers("500 Internal Server Error", lambda request: b"you: " + request + TOLD)
    with host_link(1) as link:
        link.fail(repeating)
        url = f"clickhouse://me:{SECRET}@127.0.0.1:{link.port}/d"
        said = [run(words, url, tmp_path) for words in COMMANDS]
    for text in said:
        assert "you: " in text  # it was repeated
        for form in FORMS:
            assert form not in text


FORMS = (SECRET, "czNjcmV0LVBhc3Mrd29yZA", "bWU6czNjcmV0LVBhc3Mrd29yZA", "s3cret-Pass%2Bword")
TOLD = f" and password={SECRET} s3cret-Pass%2Bword".encode()
COMMANDS = (
    ["doctor"],
    ["keys", "list"],
    ["migrate"],
)


def run(words: Sequence[str], url: str, place: Path) -> str:
    """Run a command over a store and return all that it prints."""
    ended = subprocess.run(
        [*SPANLOOM[0], *words, f"--store-url={url}", f"--data-dir={place}"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=clean_environment(),
        cwd=ROOT,
    )
    assert ended.returncode != 0
    return ended.stdout + ended.stderr


def test_a_rotated_password_needs_no_restart(server: ConfiguredServer, tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("an older one")
    address = StoreAddress(f"clickhouse://owner@127.0.0.1:{server.port}/spanloom", None, file)
    with pytest.raises(StartupError, match="refuses the account"):
        connector_of(address)()
    file.write_text(f"{SECRET}\n")
    connection = Connection(connector_of(address)())
    list(connection.rows("ping"))
    connection._client._hosts.note(connection._client._turn, WRONG)  # type: ignore[attr-defined]  # ours
    file.write_text("wrong again")
    with pytest.raises(StoreUnavailableError):
        list(connection.rows("ping"))
    file.write_text(SECRET)
    list(connection.rows("ping"))
    connection.close()


WRONG = DatabaseError("as after a change at the server", code=516)
