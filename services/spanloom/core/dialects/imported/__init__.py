"""Spanloom's own convention: the steps of an imported document."""

from spanloom.core.dialects.imported.dialect import Imported

DIALECTS = (Imported(),)
