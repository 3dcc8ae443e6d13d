"""Published taxonomies as data: the labels that a step or a run may have.

In: the YAML files of this folder; labels that annotators use are annotation schemes
(``core/annotation/presets``), and only referred to here. Out: taxonomies by name. Start at
``taxonomies``.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from spanloom.core.annotation.yaml_tree import parse_yaml, to_plain
from spanloom.evaluation.taxonomies.taxonomy import Taxonomy, read_taxonomy

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Taxonomy", "taxonomies"]


@cache
def taxonomies() -> Mapping[str, Taxonomy]:
    """Return the taxonomies, keyed by name, such as ``agent-reward-bench`` or ``mast``."""
    paths = (file for file in files(__package__ or "").iterdir() if file.name.endswith(".yaml"))
    read = (
        read_taxonomy(
            file.name.removesuffix(".yaml"), to_plain(parse_yaml(file.read_text("utf-8")))
        )
        for file in sorted(paths, key=lambda file: file.name)
    )
    return {taxonomy.name: taxonomy for taxonomy in read}
