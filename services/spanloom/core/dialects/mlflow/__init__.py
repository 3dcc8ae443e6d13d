"""MLflow: its own attributes and its GenAI mode, under LangChain and other libraries."""

from spanloom.core.dialects.mlflow.dialect import MLflow

DIALECTS = (MLflow(),)
