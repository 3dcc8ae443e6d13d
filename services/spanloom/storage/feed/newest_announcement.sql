SELECT toUnixTimestamp64Micro(ChangedAt)
FROM trajectory_changes
ORDER BY ChangedAt DESC
LIMIT 1
