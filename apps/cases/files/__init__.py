"""The pages of a case's files: their list, a window of lines, what is explained and marked in it, search in the raw
text.
"""
