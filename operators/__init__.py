"""Buttons: read the context, call one function, report."""
