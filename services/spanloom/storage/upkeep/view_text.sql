SELECT create_table_query, as_select, comment
FROM system.tables
WHERE database = currentDatabase() AND name = {view:String}
