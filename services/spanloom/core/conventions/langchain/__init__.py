"""Read LangChain's and LangGraph's runs, which many conventions report: metadata, shape, usage."""
