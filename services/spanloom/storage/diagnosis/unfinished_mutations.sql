SELECT table, toUInt64(greatest(0, dateDiff('second', create_time, now()))), latest_fail_reason
FROM system.mutations
WHERE database = currentDatabase() AND NOT is_done
ORDER BY create_time
