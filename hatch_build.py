"""Minifies the modules of the page into the wheel; hatchling calls it (pyproject.toml).

A checkout and an editable install serve the modules as they are written.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import minify
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

STATIC = Path("services/spanloom/viewer/static")


class MinifyPage(BuildHookInterface[Any]):
    """Puts the minified modules into a wheel in place of the written ones."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the minified modules to a temporary folder and include them."""
        if version == "editable":
            return
        self._built = TemporaryDirectory()
        for path in write_minified(Path(self.root) / STATIC, Path(self._built.name)):
            name = path.relative_to(self._built.name).as_posix()
            build_data["force_include"][str(path)] = f"spanloom/viewer/static/{name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove the temporary folder."""
        if version != "editable":
            self._built.cleanup()


def write_minified(static: Path, target: Path) -> list[Path]:
    """Write all modules minified to the same names below ``target``; return these.

    Names and licence comments, ``/*!``, are kept. Raises ``minify.MinifyError`` for a syntax error.
    """
    minify.config({"js-keep-var-names": True})
    written = []
    for path in static.rglob("*.js"):
        copy = target / path.relative_to(static)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(minify.string("text/javascript", path.read_text("utf-8")), "utf-8")
        written.append(copy)
    return written
