"""The edges of the examination: reads facts from disks, sockets and stores; changes nothing."""
