"""What every product builds on: records of a case, nodes, clocks, graphs, rules and their words. It knows no
product.
"""
