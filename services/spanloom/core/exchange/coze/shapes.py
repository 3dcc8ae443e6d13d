"""Recognises Coze Loop's forms by their members; no value matches two forms.

In the schema ``agent_steps`` is next to ``root_step``, in the documentation inside it. A document
with ``extraction`` is canonical. An item of an evaluation set has ``turns``.
"""

from __future__ import annotations

from spanloom.core.document import AGENTS, EXTRACTION, ROOT

TURNS = "turns"


def is_coze(value: object) -> bool:
    """Return whether a value looks like a trajectory with ``agent_steps`` next to ``root_step``."""
    return _is_foreign(value) and not _is_nested(value)


def is_example(value: object) -> bool:
    """Return whether a value looks like a trajectory with ``agent_steps`` inside ``root_step``."""
    return _is_foreign(value) and _is_nested(value)


def is_item(value: object) -> bool:
    """Return whether a value looks like an item of an evaluation set."""
    return isinstance(value, dict) and TURNS in value and ROOT not in value


def _is_foreign(value: object) -> bool:
    return isinstance(value, dict) and ROOT in value and EXTRACTION not in value


def _is_nested(value: object) -> bool:
    if not isinstance(value, dict) or AGENTS in value:
        return False
    root = value.get(ROOT)
    return isinstance(root, dict) and AGENTS in root
