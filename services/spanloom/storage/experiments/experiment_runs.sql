-- Runs of an experiment, beginning at a position.
SELECT TraceId
FROM experiment_runs FINAL
WHERE Project = {project:String} AND ExperimentId = {experiment_id:String} AND Place >= {first:UInt64}
ORDER BY Place
LIMIT {limit:UInt64}
