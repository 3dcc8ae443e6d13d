"""Spanloom's own: the steps of a document that was imported."""

from spanloom.core.dialects.imported.dialect import Imported

DIALECTS = (Imported(),)
