-- The progress of a backup or a restore that this server makes.
SELECT toString(status) AS state, error, num_files AS files, total_size AS bytes
FROM system.backups
WHERE id = {id:String}
