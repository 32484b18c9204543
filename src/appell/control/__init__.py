"""What drives a robot: trajectories, and the joint positions that reach a pose."""

from .inverse_kinematics import Postures, inverse_kinematics
from .trajectory import Cycloid, JointPath, Line, Uniform, zyz

__all__ = ["Cycloid", "JointPath", "Line", "Postures", "Uniform", "inverse_kinematics", "zyz"]
