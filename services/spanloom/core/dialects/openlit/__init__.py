"""OpenLIT: LangChain's runs and other frameworks'."""
