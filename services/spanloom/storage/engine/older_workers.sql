-- Seconds since the last heartbeat of each role of an older release, and a name for it.
SELECT dateDiff('ms', max(SeenAt), now64(3)) / 1000 AS age, concat(Kind, ' ', Id) AS name
FROM workers
WHERE startsWith(Release, 'spanloom/') AND toUInt32OrZero(extract(Release, '^spanloom/([0-9]+)')) < {newest:UInt32}
GROUP BY Kind, Id
ORDER BY age, name
