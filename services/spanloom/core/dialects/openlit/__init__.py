"""OpenLIT: runs of LangChain (``dialect.py``) and of other frameworks (``frameworks.py``)."""

from spanloom.core.dialects.openlit.dialect import OpenLIT

DIALECTS = (OpenLIT(),)
