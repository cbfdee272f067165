"""What tools, mails and people make of the lines of an output: marks in front, one line of many, many of one."""
