"""Makes the environments in which the recipes are tried: ``python -m tests.recipes.install``.

Frameworks that pin each other's packages have one of their own; what is in each, and why, stands
in ``requirements/``. ``SPANLOOM_RECIPES`` names another folder than ``.recipes`` in the checkout.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from pathlib import Path

from tests.support.recipes import FOLDER, PLACES


def main() -> None:
    """Make those that are named, or all; what cannot be made is said, and the rest made."""
    venvs = sorted(file.stem for file in (FOLDER / "requirements").glob("*.txt"))
    names = sys.argv[1:] or [*venvs, *(["js"] if shutil.which("npm") else [])]
    failed = [name for name in names if not (_made_for_node() if name == "js" else _made(name))]
    if failed:
        sys.exit(f"could not be made: {', '.join(failed)}")


def _made_for_node() -> bool:
    """Install the packages of ``js/package.json``."""
    place = PLACES / "js"
    place.mkdir(parents=True, exist_ok=True)
    shutil.copy(FOLDER / "js" / "package.json", place)
    quiet = ("--silent", "--no-fund", "--no-audit", "--no-package-lock")
    return not subprocess.run(["npm", "install", *quiet], cwd=place, check=False).returncode


def _made(name: str) -> bool:
    """Make one environment; leave nothing of one that cannot be made whole."""
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
    """Return the command of uv: that beside this interpreter, or on the path; empty without."""
    beside = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    return [beside] if beside else []


if __name__ == "__main__":
    main()
