-- One text of a scheme.
SELECT Project, Name, Hash, AtUnixMicro, PutBy, Text
FROM annotation_schemes
WHERE Project = {project:String} AND Name = {of_name:String} AND Hash = {hash:String}
ORDER BY AtUnixMicro DESC
LIMIT 1
