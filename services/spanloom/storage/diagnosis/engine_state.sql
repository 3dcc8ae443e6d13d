SELECT version(), toUnixTimestamp64Nano(now64(9))
