"""``docs/api.md`` names every path, parameter, status, header and field of ``extraction``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from spanloom.access.headers import SECURITY_HEADERS
from spanloom.core.formats.schema import canonical_schema

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

PAGE = (Path(__file__).parents[3] / "docs" / "api.md").read_text("utf-8")


def test_every_path_parameter_and_status_is_on_the_page(client: TestClient) -> None:
    for path, methods in client.get("/openapi.json").json()["paths"].items():
        assert f"| `{path}` |" in PAGE
        for operation in methods.values():
            for parameter in operation.get("parameters", []):
                name = parameter["name"]
                assert f"`{name}`" in PAGE or f"`?{name}=`" in PAGE
            for status in operation["responses"]:
                assert status == "200" or f"| {status} |" in PAGE


def test_every_field_of_extraction_is_on_the_page() -> None:
    for name in canonical_schema()["definitions"]["Extraction"]["properties"]:
        assert f"`{name}`" in PAGE


def test_every_header_is_on_the_page() -> None:
    for value in list(SECURITY_HEADERS.values())[:2]:
        assert f"`{value}`" in PAGE
