"""Velocities and accelerations that a text makes itself."""


class Still:
    """Numbers that are all structural zero."""

    def __getitem__(self, _):
        return 0


class ByPlace:
    """Numbers by the places of freedoms, to be asked for by freedoms as well."""

    def __init__(self, numbers):
        self.numbers = numbers

    def __getitem__(self, key):
        return self.numbers.get(getattr(key, "index", key), 0)
