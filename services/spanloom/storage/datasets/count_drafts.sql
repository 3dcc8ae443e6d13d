-- The number of items in the draft of each dataset of a project, or of one dataset.
SELECT Dataset, count() AS Items
FROM dataset_drafts FINAL
WHERE Project = {project:String} AND ({dataset:String} = '' OR Dataset = {dataset:String}) AND Hash != ''
GROUP BY Dataset
