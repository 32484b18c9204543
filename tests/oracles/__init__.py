"""Outside oracles: the same robot, as plain data, in other people's engines."""
