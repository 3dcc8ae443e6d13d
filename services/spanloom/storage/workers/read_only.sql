-- Whether this account may only read: 1, or 2 with settings that it may change; else 0.
SELECT getSetting('readonly') AS read_only
