"""MLflow: its own attributes and its GenAI mode, under LangChain and other libraries."""
