-- Online rules by project and name, or those of a name; also those that are deleted.
SELECT Project, Name, Version, Definition, IsPaused, IsDeleted, toUnixTimestamp64Micro(SinceAt) AS Since, AtUnixMicro, PutBy
FROM online_rules FINAL
WHERE {reach} AND ({of_name:String} = '' OR Name = {of_name:String})
ORDER BY Project, Name
