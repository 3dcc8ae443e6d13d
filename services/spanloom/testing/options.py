"""The names of the plugin's options, of its mark and of its setting."""

MARK = "spanloom"
UPDATE, REPORT = "--spanloom-update", "--spanloom-report"
SEND, EXPERIMENT = "--spanloom-send", "--spanloom-experiment"
"""Its options."""
EVALUATORS = "spanloom_evaluators"
"""In the configuration file."""
