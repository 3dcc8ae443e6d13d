"""The rule for names that users give to stored definitions, such as datasets and alerts."""

from __future__ import annotations

MAX_NAME = 100
"""Maximum characters of a name."""
IN_PATHS = "/"
"""Characters that no name has, because a name is a segment of a path."""
WITH_VERSIONS = "/@"
"""The same for names that precede the version in ``NAME@VERSION``."""


def named_in_path(name: str) -> str:
    """Return the name of an alert or an online rule; raises ``ValueError`` if it is invalid."""
    return _checked(name, IN_PATHS)


def named_with_version(name: str) -> str:
    """Return the name of a dataset, an evaluator or an experiment; raises ``ValueError``."""
    return _checked(name, WITH_VERSIONS)


def _checked(name: str, excluded: str) -> str:
    is_one = 1 <= len(name) <= MAX_NAME and name.isprintable() and name.strip() == name
    if not is_one or set(name) & set(excluded) or set(name) == {"."}:
        raise ValueError(
            f"a name has 1 to {MAX_NAME} printable characters, but no {' and '.join(excluded)}"
        )
    return name
