"""Whether the units of ``deploy/systemd`` start roles that exist, and systemd accepts them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import click
import pytest
from tests.support.agents import REPOSITORY

from spanloom.cli.running import spanloom
from spanloom.config.section import variable_of
from spanloom.config.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

UNITS = REPOSITORY / "deploy" / "systemd"
ROLES = {"serve", "collect", "extract", "api", "keeper"}
FILES = sorted(UNITS.rglob("*.service"))
WRITTEN = [*FILES, *UNITS.rglob("*.conf")]


def test_each_role_has_a_unit() -> None:
    texts = "".join(file.read_text() for file in FILES)
    started = re.findall(r"^ExecStart=\S+/spanloom (\w+)$", texts, re.MULTILINE)
    assert sorted(started) == sorted(ROLES)
    assert set(spanloom.list_commands(click.Context(spanloom))) >= ROLES


@pytest.mark.parametrize("file", WRITTEN, ids=lambda file: file.name)
def test_every_variable_of_a_unit_is_an_option(file: Path) -> None:
    options = {variable_of(name) for name in Settings.model_fields}
    assert set(re.findall(r"\b(SPANLOOM_\w+)=", file.read_text())) <= options


def test_processes_of_one_machine_share_no_port_and_no_directory() -> None:
    texts = [f.read_text() for f in FILES if f.name != "spanloom.service"]
    for setting in ("SPANLOOM_API_PORT", "SPANLOOM_DATA_DIR", "StateDirectory"):
        values = [re.findall(rf"{setting}=(\S+)", text) for text in texts]
        assert len({one for (one,) in values}) == len(texts)


def test_secrets_are_files_that_the_process_alone_reads() -> None:
    for file in WRITTEN:
        assert not re.search(r"(PASSWORD|SECRET|API_KEY)=", file.read_text())
    shared = (UNITS / "spanloom-.service.d" / "role.conf").read_text()
    assert "LoadCredential=store_password:" in shared
    assert "SPANLOOM_STORE_PASSWORD_FILE=%d/store_password" in shared


@pytest.mark.engine
def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    verify = shutil.which("systemd-analyze")
    if verify is None:
        pytest.skip("systemd-analyze is not installed, so no unit was verified")
    shutil.copytree(UNITS / "spanloom-.service.d", tmp_path / "spanloom-.service.d")
    for file in FILES:
        text = file.read_text().replace("/opt/spanloom/bin/spanloom", sys.executable)
        (tmp_path / file.name.replace("@.", "@1.")).write_text(text)
    named = [str(path) for path in tmp_path.glob("*.service")]
    done = subprocess.run(
        [verify, "verify", "--man=no", *named], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
