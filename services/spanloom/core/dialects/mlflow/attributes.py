"""MLflow's attributes that several modules read."""

from __future__ import annotations

SPAN_TYPE = "mlflow.spanType"
INPUTS = "mlflow.spanInputs"
OUTPUTS = "mlflow.spanOutputs"
COUNTS = "mlflow.chat.tokenUsage"
