-- Where these call keys have been seen in a time range; the steps themselves have the truth.
SELECT DISTINCT TraceId, StepId
FROM call_index
WHERE Project = {project:String} AND CallKey IN JSONExtract({call_keys:String}, 'Array(String)')
  AND StartTimeUnixNano <= {until_ns:UInt64}
  AND EndTimeUnixNano >= {from_ns:UInt64}
