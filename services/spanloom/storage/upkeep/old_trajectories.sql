-- Some trajectories with all that the list shares with them, and their documents.
SELECT * EXCEPT (Fingerprint, StartTime, StepIds, SpansDocument, UpdatedAt),
       toUnixTimestamp(UpdatedAt) AS UpdatedAt
FROM trajectories FINAL
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
