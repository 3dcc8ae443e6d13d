"""Makes the redactor that the options ask for."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from spanloom.collector.intake.redaction.redactor import Redactor
from spanloom.collector.intake.redaction.rules import Action
from spanloom.collector.intake.redaction.rules_file import read_rules, read_secret
from spanloom.core.errors import StartupError

if TYPE_CHECKING:
    from pathlib import Path

    from spanloom.telemetry import Metrics


def make_redactor(
    rules_file: Path | None, secret_file: Path | None, metrics: Metrics, *, no_content: bool
) -> Redactor | None:
    """Return what redacts requests, ``None`` if nothing is to be redacted.

    Without a secret the hashes that only compare texts of one run of the process get one of their
    own; rules that hash need one that stays. Raises ``StartupError`` with a line per mistake.
    """
    if rules_file is None and not no_content:
        return None
    rules = read_rules(rules_file) if rules_file else ()
    hashing = [rule.name for rule in rules if rule.action is Action.HASH]
    if hashing and secret_file is None:
        raise StartupError(
            f"--redaction-rules {rules_file}: {', '.join(hashing)} hashes, which takes a secret: "
            "give --redaction-secret-file"
        )
    secret = read_secret(secret_file) if secret_file else secrets.token_bytes(32)
    return Redactor(rules, secret, metrics, no_content=no_content)
