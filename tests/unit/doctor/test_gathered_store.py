"""The doctor looks at a store server whose URL is in a file; a missing store is unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanloom.config.settings import Settings
from spanloom.doctor.facts import Broken, Unknown
from spanloom.doctor.gather.store import look_at_store

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.service


def test_a_server_whose_url_is_a_file_is_looked_at(tmp_path: Path) -> None:
    file = tmp_path / "url"
    file.write_text("clickhouse://me@127.0.0.1:1/d")
    settings = Settings(data_dir=tmp_path / "none", store_url_file=file)
    assert isinstance(look_at_store(settings, Unknown("no spool")), Broken)
    embedded = Settings(data_dir=tmp_path / "none")
    assert isinstance(look_at_store(embedded, Unknown("no spool")), Unknown)
