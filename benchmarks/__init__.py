"""Appell against its peers, measured in one run: ``python -m benchmarks.run``."""
