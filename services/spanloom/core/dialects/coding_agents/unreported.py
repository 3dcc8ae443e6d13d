"""Warns about facts that coding agents never report; reads the code repository of a run."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from spanloom.core.conventions.run_context import OWN

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

CLAUDE_CODE = (
    "Claude Code reports no results of failed tools, of MCP tools and of sub-agents",
    "Claude Code reports no call that was cancelled",
)
"""Warnings for Claude Code's spans, each shown if a run lacks the fact."""
CODEX = ("Codex reports no answers of the model, and no call that was cancelled",)
OPENCODE = ("opencode ended before its last spans were sent: its last calls may be missing",)
OPENCODE_PLAIN = (
    "opencode reports no texts and tokens of its calls unless experimental.openTelemetry is on",
)
COPILOT = ("Copilot reports no status of a call that failed",)
QWEN_CODE = ("Qwen Code reports no call that was repeated",)
"""Warnings for Qwen Code's spans."""
_BY_PREFIX = {
    "claude_code": (
        "Claude Code's log records lack results of tools and repeated calls: its spans have them",
    ),
    "codex": CODEX,
    "qwen-code": (
        "Qwen Code reports no call that was repeated, and results of tools in the next call only",
    ),
}
"""Warnings, keyed by the part of an event's name before the first dot."""

_PLACES = {
    "repository": (
        *("git.repository", "git.repository.url", "git.repository_url", "git.remote.url"),
        *("git.remote_url", "git.repo", "vcs.repository.url.full", "vcs.repository.name"),
        *("repository.url", "repository_url", "repository", "repo_url"),
    ),
    "branch": ("git.branch", "git.head.branch", "vcs.ref.head.name", "branch"),
    "commit": (
        *("git.commit", "git.commit.sha", "git.commit_sha", "git.commit.hash", "git.sha"),
        *("git.head.sha", "vcs.ref.head.revision", "commit_sha", "commit"),
    ),
    "directory": ("cwd", "working_directory", "process.working_directory", "workspace.directory"),
}
"""Suffixes of attributes that name the repository, branch, commit and directory."""
KEYS_KEPT = 4096
_MAX_CHARS = 500


def read_place(attributes: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Return a run's repository, branch, commit and directory as metadata (``metadata.branch``)."""
    found: dict[str, str] = {}
    for each in attributes:
        for key in each:
            if (name := _place_of(key)) and each[key]:
                found.setdefault(OWN + name, each[key][:_MAX_CHARS])
    return found


@lru_cache(maxsize=KEYS_KEPT)
def _place_of(key: str) -> str:
    key = key.lower()[:100]
    return next((name for name, ends in _PLACES.items() if _ends(key, ends)), "")


def _ends(key: str, endings: Collection[str]) -> bool:
    return key in endings or any("." in end and key.endswith("." + end) for end in endings)


def notes_of(name: str) -> Sequence[str]:
    """Return warnings about facts that the sender of events with this name never reports."""
    return _BY_PREFIX.get(name.partition(".")[0], ())
