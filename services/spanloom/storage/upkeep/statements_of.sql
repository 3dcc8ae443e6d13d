-- What a process has at work in the server now.
SELECT query_id
FROM system.processes
WHERE Settings['log_comment'] = {who:String}
