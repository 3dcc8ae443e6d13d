"""Answers of many rows in the form that ``Accept`` asks for."""
