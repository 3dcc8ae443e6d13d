-- Online rules, ordered by project and name, or those with a name; includes deleted rules.
SELECT Project, Name, Version, Definition, IsPaused, IsDeleted, toUnixTimestamp64Micro(SinceAt) AS Since, AtUnixMicro, PutBy
FROM online_rules FINAL
WHERE {reach} AND ({of_name:String} = '' OR Name = {of_name:String})
ORDER BY Project, Name
