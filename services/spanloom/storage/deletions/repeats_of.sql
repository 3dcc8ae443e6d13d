-- The traces that are stored as repeats of some traces, or as parts of runs that these show.
SELECT Project, TraceId
FROM trajectory_list FINAL
WHERE DuplicateOf != '' AND {reach}
  AND (Project, DuplicateOf) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
