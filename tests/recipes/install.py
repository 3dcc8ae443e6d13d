"""Creates the environments in which the recipes are tested: ``python -m tests.recipes.install``.

Frameworks with conflicting requirements have separate environments; ``requirements/`` has the
packages of each, with the reasons. ``SPANLOOM_RECIPES`` names a folder to use instead of
``.recipes`` in the checkout.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from pathlib import Path

from tests.support.recipes import FOLDER, PLACES


def main() -> None:
    """Create the named environments, or all; exit with the names of those that failed."""
    venvs = sorted(file.stem for file in (FOLDER / "requirements").glob("*.txt"))
    names = sys.argv[1:] or [*venvs, *(["js"] if shutil.which("npm") else [])]
    failed = [name for name in names if not (_made_for_node() if name == "js" else _made(name))]
    if failed:
        sys.exit(f"could not be made: {', '.join(failed)}")


def _made_for_node() -> bool:
    """Install the packages of ``js/package.json``; return whether that succeeded."""
    place = PLACES / "js"
    place.mkdir(parents=True, exist_ok=True)
    shutil.copy(FOLDER / "js" / "package.json", place)
    quiet = ("--silent", "--no-fund", "--no-audit", "--no-package-lock")
    return not subprocess.run(["npm", "install", *quiet], cwd=place, check=False).returncode


def _made(name: str) -> bool:
    """Create one environment, or remove it if that fails; return whether it succeeded."""
    place, requirements = PLACES / name, FOLDER / "requirements" / f"{name}.txt"
    shutil.rmtree(place, ignore_errors=True)
    venv.create(place, with_pip=not _uv())
    if subprocess.run(_install(place, requirements), check=False).returncode:
        shutil.rmtree(place)
        return False
    return True


def _install(place: Path, requirements: Path) -> list[str]:
    python = str(place / "bin" / "python")
    if uv := _uv():  # takes seconds where pip takes minutes
        return [*uv, "pip", "install", "--quiet", "--python", python, "-r", str(requirements)]
    return [python, "-m", "pip", "install", "--quiet", "-r", str(requirements)]


def _uv() -> list[str]:
    """Return the command of uv, next to this interpreter or on the path; empty if missing."""
    beside = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    return [beside] if beside else []


if __name__ == "__main__":
    main()
