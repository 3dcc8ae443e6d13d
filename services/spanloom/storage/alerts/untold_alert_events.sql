-- Events since a time, oldest first, each with one channel to which it is not delivered yet; at most so many for each
-- channel of a project.
SELECT {columns}, Key, Tries, TriedUnixMicro
FROM
(
    SELECT {columns}, arrayJoin(Channels) AS Key
    FROM
    (
        SELECT {columns}
        FROM alert_events
        WHERE AtUnixMicro >= {from_us:UInt64} AND notEmpty(Channels)
        ORDER BY Id, Number, StoredAt
        LIMIT 1 BY Id, Number
    )
) AS told
LEFT JOIN
(
    SELECT Id AS TriedId, Number AS TriedNumber, Channel AS TriedChannel, State AS Became, Tries,
        AtUnixMicro AS TriedUnixMicro
    FROM alert_deliveries FINAL
    WHERE StoredAt >= toDateTime(intDiv({from_us:UInt64}, 1000000))
) AS tried ON Id = TriedId AND Number = TriedNumber AND Key = TriedChannel
WHERE Became NOT IN ('delivered', 'undelivered')
ORDER BY AtUnixMicro, Id, Number, Key
LIMIT {limit:UInt64} BY Project, Key
