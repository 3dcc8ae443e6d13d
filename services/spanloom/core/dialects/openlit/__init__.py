"""OpenLIT: LangChain's runs and other frameworks'."""

from spanloom.core.dialects.openlit.dialect import OpenLIT

DIALECTS = (OpenLIT(),)
