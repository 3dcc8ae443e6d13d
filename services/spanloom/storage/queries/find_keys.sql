-- Where these call keys have been seen; the steps themselves have the truth.
SELECT DISTINCT TraceId, StepId
FROM call_index
WHERE Project = {project:String} AND CallKey IN JSONExtract({call_keys:String}, 'Array(String)')
