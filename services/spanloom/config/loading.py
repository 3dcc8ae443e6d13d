"""Reads the options from flags and variables; an error names the invalid option."""

from __future__ import annotations

import os
from difflib import get_close_matches
from typing import TYPE_CHECKING

from pydantic import ValidationError

from spanloom.config.section import VARIABLE_PREFIX, flag_of, variable_of
from spanloom.config.settings import Settings
from spanloom.core.errors import SpanloomError
from spanloom.storage.engine.address import FORM, parse_server

if TYPE_CHECKING:
    from collections.abc import Mapping


class OptionError(SpanloomError):
    """An option or variable has an invalid value; the message is one line."""


def load_settings(flags: Mapping[str, object]) -> Settings:
    """Return the options from flags, the environment and the defaults, in this order of precedence.

    Raises ``OptionError`` with one line that names the flag or variable at fault.
    """
    _refuse_misspelt_variables()
    try:
        settings = Settings.model_validate(flags)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        name = str(problem["loc"][0]).lower().removeprefix(VARIABLE_PREFIX.lower())
        culprit = flag_of(name) if name in flags else variable_of(name)
        reason = problem["msg"][:1].lower() + problem["msg"][1:]
        raise OptionError(f"{culprit}: {reason}, not {problem['input']!r}") from error
    _refuse_unusable(settings, flags)
    return settings


def _refuse_unusable(settings: Settings, flags: Mapping[str, object]) -> None:
    def origin(name: str) -> str:
        is_variable = name not in flags and name in settings.model_fields_set
        return variable_of(name) if is_variable else flag_of(name)

    if settings.store_url and not _is_store_url(settings.store_url):
        raise OptionError(  # without the value, which may contain a password
            f"{origin('store_url')} must be {FORM} (clickhouses:// for TLS)"
        )
    if settings.store_url and settings.store_url_file:
        raise OptionError(
            f"{origin('store_url')} and {origin('store_url_file')} exclude each other"
        )
    if (settings.store_cert_file is None) != (settings.store_key_file is None):
        raise OptionError(
            f"{origin('store_cert_file')} and {origin('store_key_file')} go together: give both or "
            "neither"
        )
    for name in ("store_password_file", "store_ca_file", "store_cert_file"):
        if settings.is_embedded and getattr(settings, name):
            raise OptionError(f"{origin(name)} is for a ClickHouse server (--store-url)")

    if (settings.tls_cert is None) != (settings.tls_key is None):
        raise OptionError(
            f"{origin('tls_cert')} and {origin('tls_key')} go together: give both or neither"
        )
    if settings.tls_client_ca and not settings.tls_cert:
        raise OptionError(f"{origin('tls_client_ca')} needs --tls-cert and --tls-key")


def _is_store_url(url: str) -> bool:
    """Return whether a URL has the scheme of a store and, for a server, hosts with valid ports."""
    return url.startswith("chdb:///") or parse_server(url) is not None


def _refuse_misspelt_variables() -> None:
    known = [variable_of(name) for name in Settings.model_fields]
    for variable in sorted(os.environ):
        if not variable.startswith(VARIABLE_PREFIX) or variable in known:
            continue
        meant = get_close_matches(variable, known, n=1, cutoff=0.92)
        if meant:
            raise OptionError(f"{variable} is not a variable of Spanloom; {meant[0]} is")
