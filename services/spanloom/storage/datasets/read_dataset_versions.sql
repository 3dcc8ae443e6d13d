-- The versions of each dataset of a project, or of one dataset; if a number is stored twice, the first counts.
SELECT Dataset, Version, Hash, Items, toUnixTimestamp64Micro(StoredAt) AS AtUnixMicro, MadeBy
FROM dataset_versions
WHERE Project = {project:String} AND ({dataset:String} = '' OR Dataset = {dataset:String})
ORDER BY Dataset, Version, StoredAt, Hash
LIMIT 1 BY Dataset, Version
