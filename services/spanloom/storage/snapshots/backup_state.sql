-- How far a backup, or a restore, of this server is.
SELECT toString(status) AS state, error, num_files AS files, total_size AS bytes
FROM system.backups
WHERE id = {id:String}
