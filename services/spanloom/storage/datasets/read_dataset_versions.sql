-- The versions of each dataset of a project, or of one; of several with one number the one that was stored first.
SELECT Dataset, Version, Hash, Items, toUnixTimestamp64Micro(StoredAt) AS AtUnixMicro, MadeBy
FROM dataset_versions
WHERE Project = {project:String} AND ({dataset:String} = '' OR Dataset = {dataset:String})
ORDER BY Dataset, Version, StoredAt, Hash
LIMIT 1 BY Dataset, Version
