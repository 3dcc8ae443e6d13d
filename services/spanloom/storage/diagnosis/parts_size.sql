SELECT sum(bytes_on_disk) FROM system.parts WHERE database = currentDatabase()
