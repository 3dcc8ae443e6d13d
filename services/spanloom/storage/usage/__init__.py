"""How much is stored of each project."""
