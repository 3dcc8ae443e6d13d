"""What every accepted request passes: bounds, the scan, validation, the spool."""
