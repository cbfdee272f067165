"""Stories of slow cluster file systems, each told three times: other words, hosts and figures, another order; the same
facts.
"""
