SELECT Slice, Second
FROM slice_watermarks FINAL
WHERE Kind = {kind:String}
