SELECT Project, TraceId, Version, Fingerprint, StartTimeUnixNano, StepIds, Seq
FROM trajectories FINAL
WHERE (Project, TraceId) IN {keys:Array(Tuple(String, String))}
