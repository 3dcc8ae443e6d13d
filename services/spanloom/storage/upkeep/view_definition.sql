-- The FROM clause of a view of this database, and its comment.
SELECT extract(as_select, ' (FROM .*)$') AS source, comment
FROM system.tables
WHERE database = currentDatabase() AND name = {view:String}
