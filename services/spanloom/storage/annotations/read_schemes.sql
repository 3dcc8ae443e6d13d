-- The newest text of each scheme.
SELECT {columns}
FROM annotation_schemes
WHERE {reach}
  AND ({of_name:String} = '' OR Name = {of_name:String})
ORDER BY Project, Name, AtUnixMicro DESC, Hash
LIMIT 1 BY Project, Name
