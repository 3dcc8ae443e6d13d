-- Which of the given keys any stored call has. Without windows the query is half as long, and most keys are not stored.
SELECT DISTINCT CallKey
FROM call_index
WHERE Project = {project:String} AND CallKey IN JSONExtract({call_keys:String}, 'Array(String)')
