"""Names and defaults that Spanloom uses within ATIF, and the rule for the id of a root."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanloom.core.formats.json_bytes import Json

UNKNOWN = "unknown"
CALL = "chat"
"""The default name of a model step; any other name is written as ``extra.name``."""
AGENT_VERSION = "agent_version"
"""Key in an agent's metadata for the agent's version, if the source has it."""
RAW = "_raw"
"""Key for arguments that are not an object, which are wrapped because ATIF requires one."""
ROOT_ID = "step_id"
"""Key in a trajectory's ``extra`` for the id of its root, unless ``root_id_in`` can infer it."""
HEARD = "is_only_heard"
"""Key in the ``extra`` of a result that occurs only in a model's input, not as a tool step."""
OF_STATUS = "the status of the run is "
"""First words of the note that is written for a run that is not settled."""
CONTINUED, NOTES = "continued_trajectory_ref", "notes"
"""Keys in a run's metadata whose values are written as ATIF members with the same names."""
OF_EXTRA = ("user_id", "environment", "release", "tags")
"""Members of a run's extraction that are written into a trajectory's ``extra``."""
_ID = re.compile("[0-9a-f]{16}")


def root_id_in(trajectory: Json) -> str:
    """Return the id of the root: from ``extra``, otherwise the first step's id minus 1.

    Therefore the root's id need not be written if ids are consecutive. Empty if no step has an id.
    """
    about = trajectory.get("extra")
    own = about.get(ROOT_ID) if isinstance(about, dict) else None
    if isinstance(own, str):
        return own
    steps = (step for step in trajectory["steps"] if isinstance(step, dict))
    extras = (extra for step in steps if isinstance(extra := step.get("extra"), dict))
    first = next((one for extra in extras if (one := extra.get("step_id"))), "")
    is_id = isinstance(first, str) and _ID.fullmatch(first)
    return f"{max(int(first, 16) - 1, 0):016x}" if is_id else ""
