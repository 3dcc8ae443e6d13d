"""The version agrees with the changelog and with the newest release in ``docs/releasing.md``."""

from __future__ import annotations

import re
from pathlib import Path

from spanloom import __version__
from spanloom.collector.spool.file import SCHEMA_VERSION
from spanloom.process.datadir import FORMAT
from spanloom.storage.engine.statements import migrations

ROOT = Path(__file__).parents[2]
RELEASE = re.compile(r"^\| (\d\S*) \| (.+) \| (\d+) \| (\d+) \|$", re.MULTILINE)


def test_the_newest_section_of_the_changelog_is_of_this_version() -> None:
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert headings[:2] == ["Unreleased", __version__]


def test_the_newest_release_is_of_this_version_and_ships_what_it_says() -> None:
    page = (ROOT / "docs/releasing.md").read_text("utf-8")
    version, named, spool, directory = RELEASE.findall(page)[-1]
    names = re.findall(r"`(\w+)(?:\.sql)?`", named)
    shipped = [migration.name.removesuffix(".sql") for migration in migrations()]
    assert version == __version__
    assert names == shipped[: len(names)]
    assert int(spool) <= SCHEMA_VERSION
    assert int(directory) <= FORMAT
