-- The processes with a heartbeat in the last seconds that have not ended, by kind and id.
SELECT Kind, Id, argMax(Release, SeenAt) AS NewestRelease
FROM workers
GROUP BY Kind, Id
HAVING max(SeenAt) > now64(3) - toIntervalSecond({living_s:UInt32}) AND NOT argMax(IsOver, SeenAt)
ORDER BY Kind, Id
