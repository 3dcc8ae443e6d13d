"""Where keys are kept: a file beside the embedded store, a table on a server."""
