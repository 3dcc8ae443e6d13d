"""Value types shared by all rooms: spans in, trajectories out, annotations, scores, keys."""
