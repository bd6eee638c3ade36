"""The question matrix: its file, editions, sheets and translations."""
