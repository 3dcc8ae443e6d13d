-- One text of a scheme.
SELECT {columns}
FROM annotation_schemes
WHERE Project = {project:String} AND Name = {of_name:String} AND Hash = {hash:String}
ORDER BY AtUnixMicro DESC
LIMIT 1
