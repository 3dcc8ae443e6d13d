"""The operator's price file is read exactly; a bad one stops the start with one error line."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from spanloom.core.errors import StartupError
from spanloom.core.model.step import Usage
from spanloom.core.pricing import cost_of
from spanloom.extractor import prices_file
from spanloom.extractor.prices_file import read_prices

if TYPE_CHECKING:
    from pathlib import Path

NEW_YEAR_NS = 1_767_225_600 * 10**9


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """Write the example in the docstring of ``prices_file`` to a file, and return its path."""
    doc = prices_file.__doc__ or ""
    path = tmp_path / "prices.toml"
    path.write_text(doc.partition("::\n")[2], "utf-8")
    return path


def test_the_example_is_read_exactly(example: Path) -> None:
    book = read_prices(example)
    assert book.price("qwen-max", "alibaba", NEW_YEAR_NS - 1) is None
    price = book.price("qwen-max", "alibaba", NEW_YEAR_NS)
    assert price is not None
    usage = Usage(3_000_000, 1_000_000, cache_read_tokens=1_000_000)
    assert (cost_of(usage, price.rates), price.source) == (Decimal("2.10"), "own")


def test_without_a_file_the_listed_prices_hold() -> None:
    assert read_prices(None).price("gpt-4o", "openai", NEW_YEAR_NS) is not None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[prices]]\nmodel = 'x'\noutput = 1", "prices.0.input: Field required"),
        ("[[prices]]\nmodel = 'x'\ninput = -1\noutput = 1", "prices.0.input: Input should be"),
        ("[[prices]]\nmodel = 'x'\ninput = nan\noutput = 1", "prices.0.input: Input should be"),
        ("[[price]]\n", "price: Extra inputs are not permitted"),
        ("prices = 3", "prices: Input should be a valid list"),
        ("what", "cannot be read: Expected '='"),
    ],
)
def test_a_bad_file_stops_the_start_with_one_line(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(StartupError) as caught:
        read_prices(path)
    assert str(caught.value).startswith(f"--prices-file {path}")
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(StartupError, match="No such file"):
        read_prices(tmp_path / "none.toml")
