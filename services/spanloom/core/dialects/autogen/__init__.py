"""Microsoft AutoGen."""

from spanloom.core.dialects.autogen.dialect import AutoGen

DIALECTS = (AutoGen(),)
