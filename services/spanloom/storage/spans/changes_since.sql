-- Traces that got spans with a version above `seq`, in the order of storage.spans.change_of.
SELECT Project, TraceId, max(Seq), toUnixTimestamp64Nano(min(AcceptedAt)),
       toUnixTimestamp64Nano(max(AcceptedAt)), max(HasRoot), sum(Spans)
FROM trace_changes
WHERE Seq > {seq:UInt64}
GROUP BY Project, TraceId
