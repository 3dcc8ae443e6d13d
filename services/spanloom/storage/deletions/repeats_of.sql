-- Traces that are stored as duplicates of the given traces, or as parts of runs that the given traces show.
SELECT Project, TraceId
FROM trajectory_list FINAL
WHERE DuplicateOf != '' AND {reach}
  AND (Project, DuplicateOf) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
