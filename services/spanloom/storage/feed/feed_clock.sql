SELECT toUnixTimestamp64Micro(now64(6))
