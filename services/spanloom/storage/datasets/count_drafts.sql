-- How many items the draft of each dataset of a project has, or of one.
SELECT Dataset, count() AS Items
FROM dataset_drafts FINAL
WHERE Project = {project:String} AND ({dataset:String} = '' OR Dataset = {dataset:String}) AND Hash != ''
GROUP BY Dataset
