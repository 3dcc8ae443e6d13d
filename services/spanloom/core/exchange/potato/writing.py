"""Writes a run as an item of a Potato task, and the task's configuration.

The item is the same as for annotated runs (``core/annotation/potato/files.py``): texts are
shortened, and ``step_id`` links annotations to steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from spanloom.core.annotation.potato.files import MOST_TEXT, write_config, write_item
from spanloom.core.annotation.presets import presets
from spanloom.core.annotation.scheme_reader import plain_scheme
from spanloom.core.exchange.kept import ERROR_TEXT, Kept, KeptOfStep, count_lost
from spanloom.core.extraction.metrics import COST
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Code
from spanloom.core.messages.texts import question_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.document import DocumentStep
    from spanloom.core.formats.losses import Losses
    from spanloom.core.formats.stored import Stored

CONFIG_FILE = "config.yaml"
_AN_AGENT = KeptOfStep({"name"}, {"agent_name", COST})
_KEPT = Kept(
    (),
    {
        "agent": _AN_AGENT,
        "model": KeptOfStep({"output"}, ()),
        "tool": KeptOfStep({"name", "input", "output", ERROR_TEXT}, {"thought"}),
    },
    KeptOfStep({"name", "input"}, {"agent_name", COST}),
)
SCHEME = "potato"
"""The preset scheme for runs without annotations."""


def write(stored: Stored, losses: Losses) -> bytes:
    """Return a run as an item, in which each step names its agent."""
    count_lost(stored.view, _KEPT, losses)
    root = stored.view.root
    losses.note(Code.TEXTS_DROPPED, root.id, root.input != question_in(root.input))
    for step in stored.view.steps:
        _note(step, losses)
    return dump(write_item(dict(stored.view.json)))


def _note(step: DocumentStep, losses: Losses) -> None:
    """Count a step's losses: a graph's type, a model's tool calls, and texts that are shortened."""
    losses.note(Code.GRAPH_FLATTENED, step.id, step.type == "graph")
    has_calls = step.type == "model" and '"tool_calls"' in step.output
    losses.note(Code.TEXTS_DROPPED, step.id, has_calls)
    longest = max(len(step.input) if step.type == "tool" else 0, len(step.output))
    losses.note(Code.VALUE_TRUNCATED, step.id, times=longest > MOST_TEXT)


def config_files(_name: str) -> Mapping[str, bytes]:
    """Return the configuration file for ``potato start``, as JSON, which is valid YAML.

    Weights of severities are whole numbers, because Potato's form fails on fractions.
    """
    scheme = plain_scheme(presets()[SCHEME].text, SCHEME)
    config = write_config("runs", [scheme] if isinstance(scheme, dict) else [])
    return {CONFIG_FILE: orjson.dumps(config, option=orjson.OPT_INDENT_2) + b"\n"}
