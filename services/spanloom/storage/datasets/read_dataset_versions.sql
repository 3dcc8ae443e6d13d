-- The versions of each dataset of a project, or of one dataset; if a number is stored twice, the first counts.
SELECT {columns}, Dataset
FROM dataset_versions
WHERE Project = {project:String} AND ({dataset:String} = '' OR Dataset = {dataset:String})
ORDER BY Dataset, Version, StoredAt, Hash
LIMIT 1 BY Dataset, Version
