SELECT unreserved_space AS free FROM system.disks WHERE NOT is_read_only
