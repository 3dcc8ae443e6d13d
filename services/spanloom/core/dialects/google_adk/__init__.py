"""Google's Agent Development Kit."""

from spanloom.core.dialects.google_adk.dialect import GoogleADK

DIALECTS = (GoogleADK(),)
