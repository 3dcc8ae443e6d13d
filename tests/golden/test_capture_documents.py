"""Extraction builds the same documents of every captured run: one line of hashes per run.

``captures.txt`` names the captures whose documents change. To see what changes in one of them::

    .venv/bin/python -m tests.support.captured_documents langfuse/react_tools
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.captured_documents import line_of
from tests.support.ground_truth import all_captures, pair_captures

if TYPE_CHECKING:
    from tests.support.goldens import Goldens


def test_documents_of_all_captures(goldens: Goldens) -> None:
    lines = [line_of(capture) for capture in (*all_captures(), *pair_captures())]
    goldens.check("captures.txt", "\n".join([*lines, ""]))
