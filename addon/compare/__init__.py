"""Comparing a bake with its source, and keeping or dropping it.

properties   the share of the result, on the object; the mark of Heft's own actions
own_result   whether a result is Heft's own and untouched, and what becomes of one that is replaced
sources      what a bake was made of
show         source or result, or a mix of both
settle       Apply and Discard
"""
