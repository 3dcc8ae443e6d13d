-- The tries of some items of an experiment for which scores are stored.
SELECT DISTINCT Item, Repeat
FROM scores
WHERE Project = {project:String} AND Experiment = {experiment:String}
  AND Item IN JSONExtract({items:String}, 'Array(String)')
