"""Reads the operator's price file: TOML, read once at startup.

For example::

    [[prices]]
    model = "qwen-*"            # as telemetry names it; * matches any ending
    provider = "alibaba"        # optional
    from = 2026-01-01           # optional: calls that began on that day (UTC) or later
    input = 0.40                # US dollars for a million tokens
    output = 1.20
    cache_read = 0.10           # optional, as are cache_write and reasoning
    source = "contract of May"  # a note for people; not used

"""

from __future__ import annotations

import tomllib
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from spanloom.core.errors import StartupError
from spanloom.core.pricing import OwnPrice, PriceBook, Rate, Rates

if TYPE_CHECKING:
    from pathlib import Path

_Usd = Annotated[Decimal, Field(ge=0, le=10**6)]
_STRICT = ConfigDict(extra="forbid")


class _Price(BaseModel):
    model_config = _STRICT

    model: str = Field(min_length=1)
    provider: str = ""
    since: date | None = Field(None, alias="from")
    input: _Usd
    output: _Usd
    reasoning: _Usd | None = None
    cache_read: _Usd | None = None
    cache_write: _Usd | None = None
    source: str = ""


class _File(BaseModel):
    model_config = _STRICT

    prices: list[_Price] = []


def read_prices(path: Path | None) -> PriceBook:
    """Return a price book in which the file's prices take precedence over the built-in list.

    If ``path`` is ``None``, it has only the list. Raises ``StartupError`` with a one-line message.
    """
    if path is None:
        return PriceBook()
    try:
        text = path.read_text("utf-8")
        read = _File.model_validate(tomllib.loads(text, parse_float=Decimal))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise StartupError(f"--prices-file {path}: {where}: {first['msg']}") from error
    except (OSError, ValueError) as error:  # tomllib's errors are ValueErrors
        raise StartupError(f"--prices-file {path} cannot be read: {error}") from error
    return PriceBook([_own(price) for price in read.prices])


def _own(price: _Price) -> OwnPrice:
    rates = Rates(
        Rate(price.input),
        Rate(price.output),
        _optional(price.reasoning),
        _optional(price.cache_read),
        _optional(price.cache_write),
    )
    return OwnPrice(price.model, rates, price.provider, _start_ns(price.since))


def _optional(usd: Decimal | None) -> Rate | None:
    return None if usd is None else Rate(usd)


def _start_ns(day: date | None) -> int:
    if day is None:
        return 0
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * 10**9
