-- The statements of a process that the server is running now.
SELECT query_id
FROM system.processes
WHERE Settings['log_comment'] = {who:String}
