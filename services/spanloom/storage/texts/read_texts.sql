-- Some indexed texts by their keys, including rows of older versions.
SELECT Project, TraceId, StepId, toInt8(Part) AS Place, Hash, Text, {columns}
FROM step_texts
WHERE (Project, TrajectoryStart, TraceId, StepId) IN JSONExtract({places:String}, 'Array(Tuple(String, UInt64, String, UInt64))')
