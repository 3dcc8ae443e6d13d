-- Events of an alert after a position, newest first; with is_current only the last event of each id.
SELECT {columns}
FROM
(
    SELECT {columns}, max(Number) OVER (PARTITION BY Id) AS LastNumber
    FROM
    (
        SELECT {columns}
        FROM alert_events
        WHERE Project = {project:String} AND Alert = {of_name:String}
        ORDER BY Id, Number, StoredAt
        LIMIT 1 BY Id, Number
    )
)
WHERE ({state:String} = '' OR State = {state:String}) AND (NOT {is_current:Bool} OR Number = LastNumber)
  AND (AtUnixMicro, Id, Number) < ({before_us:UInt64}, {before_id:String}, {before_number:UInt32})
ORDER BY AtUnixMicro DESC, Id DESC, Number DESC
LIMIT {limit:UInt64}
