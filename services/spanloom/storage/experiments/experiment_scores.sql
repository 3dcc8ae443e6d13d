-- Current scores of an experiment after a position. At one position the score of a run precedes that of the item, and
-- the latest comes first.
SELECT {columns}
FROM
(
    SELECT *
    FROM scores
    WHERE Project = {project:String} AND Experiment = {experiment:String} AND ({only:String} = '' OR Name = {only:String})
      AND (Item, Repeat, toString(Author), toString(Name)) > ({item:String}, {repeat:UInt32}, {author:String}, {score:String})
    ORDER BY TraceId, ScoreId, Revision DESC
    LIMIT 1 BY TraceId, ScoreId
)
WHERE NOT IsDeleted
ORDER BY Item, Repeat, Author, Name, TraceId = '', Revision DESC, ScoreId
LIMIT {limit:UInt64}
