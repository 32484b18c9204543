"""Appell against its peers, measured in one run: ``python -m benchmarks.run``."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # one core means one for NumPy as well; before it is imported
