-- Seconds since the last INSERT of an older release into each table, and a name for it.
SELECT dateDiff('ms', max(SeenAt), now64(3)) / 1000 AS age, concat('an INSERT into ', Source) AS name
FROM upgrade_writers
GROUP BY Source
ORDER BY age, name
