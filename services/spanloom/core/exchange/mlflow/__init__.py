"""MLflow traces: written in version 3; read in versions 2, 3, 4 and the mix of MLflow 3.5."""
