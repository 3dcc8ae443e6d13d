-- For each experiment of a project, or for one: the number of tries with scores, and of those without a run.
SELECT Experiment, count() AS Done, countIf(NOT HasRun) AS Errors
FROM
(
    SELECT Experiment, Item, Repeat, max(TraceId != '') AS HasRun
    FROM
    (
        SELECT Experiment, Item, Repeat, TraceId, ScoreId, argMax(IsDeleted, Revision) AS IsGone
        FROM scores
        WHERE Project = {project:String} AND Experiment != ''
          AND ({experiment:String} = '' OR Experiment = {experiment:String}) AND {alive}
        GROUP BY Experiment, Item, Repeat, TraceId, ScoreId
    )
    WHERE NOT IsGone
    GROUP BY Experiment, Item, Repeat
)
GROUP BY Experiment
ORDER BY Experiment
