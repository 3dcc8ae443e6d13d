"""Keys, scopes and limits: who may come in, to which project, and how fast."""
