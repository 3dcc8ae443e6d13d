SELECT toUnixTimestamp(now())
