-- Models with calls, stored in the last 30 days, that have tokens but no price; the models with most calls first.
SELECT Model, count() AS Calls, uniqExact(Project, TraceId) AS Runs
FROM trajectory_list FINAL
ARRAY JOIN
    `Steps.Type` AS StepType, `Steps.Model` AS Model, `Steps.Cost` AS StepCost,
    `Steps.InputTokens` AS Received, `Steps.OutputTokens` AS Written
WHERE UpdatedAt >= now() - INTERVAL 30 DAY AND DuplicateOf = '' AND isNull(Cost)
  AND StepType = 'model' AND isNull(StepCost) AND Received + Written > 0
GROUP BY Model
ORDER BY Calls DESC, Model
LIMIT {limit:UInt32}
