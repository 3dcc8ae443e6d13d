"""Parameters that the lists of the API share: the project, the size of a page, and its start."""

from typing import Annotated, Any, Final

from pydantic import Field

from spanloom.api.query import Name

MAX_LIMIT: Final = 1000
DEFAULT_LIMIT: Final = 50
OfProject = Annotated[Name | None, Field(description="Of this project.", examples=["default"])]


def limit_field(items: str = "items", most: int = MAX_LIMIT, usual: int = DEFAULT_LIMIT) -> Any:
    """Return the field of a parameter ``limit``, whose example is its default.

    The type is ``Any``, as that of pydantic's ``Field``.
    """
    about = f"Maximum number of {items}."
    return Field(ge=1, le=most, description=about, examples=[usual])


def cursor_field(example: str, longest: int = 4096) -> Any:
    """Return the field of a parameter ``cursor``; the type is that of ``limit_field``."""
    about = "`next_cursor` of the page before; leave the other parameters unchanged."
    return Field(max_length=longest, description=about, examples=[example])
