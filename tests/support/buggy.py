"""Run the command with a bug: a request that contains the text ``BUG`` raises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.__main__ import main
from spanloom.collector.intake import export

if TYPE_CHECKING:
    from collections.abc import Callable

BUG = "a name that nobody foresaw"


def arm() -> None:
    """Make the validation of such a request divide by zero."""
    works: Callable[..., Any] = vars(export)["validate_request"]

    def fails(body: bytes, *arguments: Any) -> Any:  # any arguments and result
        return works(body, *arguments) if BUG.encode() not in body else 1 / 0

    vars(export)["validate_request"] = fails


if __name__ == "__main__":
    arm()
    main()
