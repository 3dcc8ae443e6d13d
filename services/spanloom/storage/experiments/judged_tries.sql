-- The tries of some items of an experiment that have scores.
SELECT DISTINCT Item, Repeat
FROM scores
WHERE Project = {project:String} AND Experiment = {experiment:String}
  AND Item IN JSONExtract({items:String}, 'Array(String)')
