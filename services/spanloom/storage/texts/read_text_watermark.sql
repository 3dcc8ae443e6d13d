SELECT Second
FROM text_watermark FINAL
