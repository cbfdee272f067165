"""One pass over a text: lines, sections, the parser of each, and where a huge text is cut."""
