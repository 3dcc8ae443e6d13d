"""The OpenAPI document is the golden one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.access import open_access
from tests.support.goldens import pretty
from tests.support.memory_store import MemoryStore

from spanloom.api.app import create_app
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from tests.support.goldens import Goldens


def test_openapi_document(goldens: Goldens) -> None:
    """The document, without the release's version and with sorted keys, is the golden one."""
    app = create_app(MemoryStore(), Metrics(), open_access())
    document = app.openapi()
    document["info"]["version"] = "<version>"
    goldens.check("openapi.json", pretty(document, sort=True))
