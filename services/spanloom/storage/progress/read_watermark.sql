SELECT Second
FROM extraction_watermark FINAL
