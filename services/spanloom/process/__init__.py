"""One process: its parts, what wires them, its data directory and its servers."""
