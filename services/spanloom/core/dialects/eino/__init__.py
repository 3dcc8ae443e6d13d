"""Eino, reported by one of three callbacks: a dialect for each, and their shared rules."""

from spanloom.core.dialects.eino.cozeloop import EinoCozeLoop
from spanloom.core.dialects.eino.dialect import Eino
from spanloom.core.dialects.eino.langfuse import EinoLangfuse

DIALECTS = (
    Eino(),
    EinoCozeLoop(),
    EinoLangfuse(),
)
