"""Eino, as reported by three of its callbacks."""

from spanloom.core.dialects.eino.cozeloop import EinoCozeLoop
from spanloom.core.dialects.eino.dialect import Eino
from spanloom.core.dialects.eino.langfuse import EinoLangfuse

DIALECTS = (
    Eino(),
    EinoCozeLoop(),
    EinoLangfuse(),
)
