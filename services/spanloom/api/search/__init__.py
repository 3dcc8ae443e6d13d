"""Full text: what steps were given, answered, and failed with."""
