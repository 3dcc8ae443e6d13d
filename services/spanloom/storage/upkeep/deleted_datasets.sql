-- Datasets that were deleted before a time.
SELECT Project, Name
FROM datasets FINAL
WHERE IsDeleted AND AtUnixMicro < {before_us:UInt64}
