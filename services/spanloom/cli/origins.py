"""Names an option in a message by the environment variable if that has set the option's value."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

from spanloom.config.section import flag_of, variable_of
from spanloom.config.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

_OF_CLIENTS = {
    "--api-url": "SPANLOOM_API_URL",
    "--sql-url": "SPANLOOM_SQL_URL",
    "--otlp-url": "SPANLOOM_OTLP_URL",
}


def name_variables(message: str) -> str:
    """Return the message with each flag replaced by the variable that has set its value.

    Flags on the command line stay, because they override variables. Flags in backticks also stay,
    because they belong to commands to type.
    """
    variables = dict(_variables_in_use())
    if not variables:
        return message
    flags = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, variables))})(?![\w-])")
    parts = message.split("`")
    parts[::2] = (flags.sub(lambda flag: variables[flag[0]], text) for text in parts[::2])
    return "`".join(parts)


def _variables_in_use() -> Iterator[tuple[str, str]]:
    """Yield flag and variable of each option that a variable sets and the command line does not."""
    typed = {argument.partition("=")[0] for argument in sys.argv[1:]}
    settings = {flag_of(name): variable_of(name) for name in Settings.model_fields}
    for flag, variable in (settings | _OF_CLIENTS).items():
        if os.environ.get(variable) and flag not in typed:
            yield flag, variable
