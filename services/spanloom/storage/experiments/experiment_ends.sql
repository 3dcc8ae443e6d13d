-- How each experiment of a project ended; of several ends the first counts.
SELECT ExperimentId, Status, Reason, toUnixTimestamp64Micro(StoredAt) AS AtUnixMicro
FROM experiment_ends
WHERE Project = {project:String}
ORDER BY ExperimentId, StoredAt
LIMIT 1 BY ExperimentId
