"""The names of the plugin's command line options, its marker and its ini setting."""

MARK = "spanloom"
UPDATE, REPORT = "--spanloom-update", "--spanloom-report"
SEND, EXPERIMENT = "--spanloom-send", "--spanloom-experiment"
"""The options that send the results to a service, and name their experiment."""
EVALUATORS = "spanloom_evaluators"
"""The setting in the configuration file that names the file of evaluators."""
