"""Opens embedded stores that were copied: puts the engine's symbolic links back in place.

The engine finds a database by a link, ``metadata/default -> ../store/83f/83fb4320-…``, and keeps
one per table, ``data/default/steps -> ../../store/4dc/4dcfddff-…``. Copying tools treat links as
they like. ``cp -rL`` turns them into directories, and the engine refuses to start ("metadata/
default already exists"). Others leave them out, and the engine makes a new database: everything
stored would be invisible. An absolute link of a copy leads into the original.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from spanloom.core.errors import StartupError

_DATABASE = "default"
_EVERY_STORE_HAS = "schema_migrations.sql"
_UUID = re.compile(r"\bUUID '([0-9a-f-]{36})'")


def mend_links(store: Path) -> None:
    """Put back what a copy has lost; do nothing to a new store or to one whose links are right.

    Raises ``StartupError`` if it cannot be told which of two databases is the one.
    """
    link = store / "metadata" / _DATABASE
    databases = [file.parent for file in (store / "store").glob(f"*/*/{_EVERY_STORE_HAS}")]
    if not databases or (link.is_symlink() and link.resolve() in map(Path.resolve, databases)):
        return
    if len(databases) > 1:
        found = ", ".join(sorted(str(database) for database in databases))
        raise StartupError(
            f"the store {store} was copied without its symbolic links and holds several databases "
            f"({found}): copy it again with `cp -a`, or make {link} a link to the right one"
        )
    _remove_copies(store / "data" / _DATABASE, databases[0])
    _replace(link, databases[0])


def _remove_copies(tables: Path, database: Path) -> None:
    """Remove what stands in the place of a table's link; the engine makes the link anew."""
    for definition in database.glob("*.sql"):
        place = tables / definition.stem
        uuid = _UUID.search(definition.read_text())
        if uuid and (database.parents[1] / uuid[1][:3] / uuid[1]).is_dir():
            _remove(place)


def _replace(link: Path, database: Path) -> None:
    _remove(link)
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(f"../store/{database.parent.name}/{database.name}", target_is_directory=True)


def _remove(place: Path) -> None:
    """Remove a link or a directory, if there is one."""
    if place.is_symlink():
        place.unlink()
    elif place.is_dir():
        shutil.rmtree(place)
