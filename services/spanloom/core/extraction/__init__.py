"""From normalized spans to a trajectory: pure, and blind to conventions."""
