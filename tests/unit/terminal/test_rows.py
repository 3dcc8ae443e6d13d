"""Rows with chosen columns are shown on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.terminal.numbers_table import render_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.unit.terminal.conftest import Screen


def test_a_document_is_one_cell_and_not_a_page(screen: Callable[..., Screen]) -> None:
    shown = screen(80)
    document = {"id": "a1", "steps": [{"name": "x" * 500}]}
    row = {"name": "run", "models": ["gpt-4o", "o3"], "steps": {"tool": 2}, "document": document}
    render_rows([row], shown.console)
    assert "gpt-4o, o3" in shown.text.replace("\n", "")
    assert '{"tool":2}' in shown.text
    assert "…" in shown.text
    assert len(shown.text.splitlines()) < 12
