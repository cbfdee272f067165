"""Tables, lists and objects of tools that have no reader of their own."""
