"""Draws; decides nothing."""
