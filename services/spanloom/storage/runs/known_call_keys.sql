-- Those of the keys that any stored call has. Half the text of a query with their windows, and of most
-- runs there is none.
SELECT DISTINCT CallKey
FROM call_index
WHERE Project = {project:String} AND CallKey IN JSONExtract({call_keys:String}, 'Array(String)')
