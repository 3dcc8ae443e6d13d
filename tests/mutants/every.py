"""All mutants, in the order of their files."""

from __future__ import annotations

from tests.mutants import agents, api, collector, core, page, storage

MUTANTS = (
    *core.MUTANTS,
    *storage.MUTANTS,
    *collector.MUTANTS,
    *api.MUTANTS,
    *page.MUTANTS,
    *agents.MUTANTS,
)
