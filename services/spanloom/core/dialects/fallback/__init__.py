"""What no convention claims."""

from spanloom.core.dialects.fallback.dialect import Fallback

DIALECTS = (Fallback(),)
