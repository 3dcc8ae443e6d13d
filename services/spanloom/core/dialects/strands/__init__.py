"""Strands Agents."""

from spanloom.core.dialects.strands.dialect import Strands

DIALECTS = (Strands(),)
