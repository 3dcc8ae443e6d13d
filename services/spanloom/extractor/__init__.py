"""From stored spans to stored trajectories: what changed, when to build, and the loop."""
