"""Spans that no other dialect recognises."""

from spanloom.core.dialects.fallback.dialect import Fallback

DIALECTS = (Fallback(),)
