"""Haystack's own tracing."""

from spanloom.core.dialects.haystack.dialect import Haystack

DIALECTS = (Haystack(),)
