"""The operator's price takes precedence over the catalogue's; each is valid from its date."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

from spanloom.core.model.step import Usage
from spanloom.core.pricing import LISTED, OwnPrice, PriceBook, Rate, Rates, cost_of

CHEAP, DEAR = Rates(Rate(Decimal(1)), Rate(Decimal(1))), Rates(Rate(Decimal(9)), Rate(Decimal(9)))
NOW = 1_790_000_000 * 10**9


def _usd(book: PriceBook, model: str, provider: str = "", when_ns: int = NOW) -> Decimal | None:
    price = book.price(model, provider, when_ns)
    return None if price is None else cost_of(Usage(1_000_000, 0), price.rates)


def test_list_prices_are_found_by_the_names_that_telemetry_has() -> None:
    assert _usd(LISTED, "gpt-4o-2024-08-06", "openai") == Decimal("2.5")
    assert _usd(LISTED, "gpt-4o", "az.ai.openai") == Decimal("2.5")
    assert _usd(LISTED, "gpt-4o", "ChatOpenAI") == Decimal("2.5")
    assert _usd(LISTED, "GPT-4o") == Decimal("2.5")


def test_a_price_holds_from_its_day_on() -> None:
    def on(day: str) -> int:
        return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()) * 10**9

    assert _usd(LISTED, "o3", "openai", on("2025-06-09")) == Decimal(10)
    assert _usd(LISTED, "o3", "openai", on("2025-06-11")) == Decimal(2)


def test_what_is_not_listed_has_no_price() -> None:
    assert LISTED.price("scripted-model", "", NOW) is None
    assert LISTED.price("", "openai", NOW) is None


def test_the_operators_price_comes_first_and_the_last_one_that_fits_counts() -> None:
    book = PriceBook(
        [
            OwnPrice("gpt-4o*", CHEAP),
            OwnPrice("gpt-4o*", DEAR, from_ns=NOW),
            OwnPrice("in-house", DEAR, provider="vllm"),
        ]
    )
    assert _usd(book, "gpt-4o-mini", when_ns=NOW - 1) == Decimal(1)
    assert _usd(book, "gpt-4o-mini") == Decimal(9)
    assert _usd(book, "in-house", "vllm") == Decimal(9)
    assert _usd(book, "in-house", "other") is None
    price = book.price("gpt-4o", "openai", NOW)
    assert price is not None
    assert price.source == "own"


def test_the_source_of_a_list_price_names_the_catalogue_and_its_version() -> None:
    price = LISTED.price("gpt-4o", "openai", NOW)
    assert price is not None
    name, version = price.source.split()
    assert name == "genai-prices"
    assert version[0].isdigit()
