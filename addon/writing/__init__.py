"""Writes new motions into new actions; nothing else in the file is changed."""
