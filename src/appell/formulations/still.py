"""Velocities and accelerations of what does not move."""


class Still:
    """Numbers that are all structural zero."""

    def __getitem__(self, _):
        return 0
