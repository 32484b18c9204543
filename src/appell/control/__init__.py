"""What drives a robot: trajectories, and the joint positions that reach a pose."""

from .fourier import Fourier
from .inverse_kinematics import Postures, inverse_kinematics
from .joint_path import JointPath
from .parallel_postures import platform_postures
from .ramps import Cycloid, MinimumJerk, Quintic, Trapezoid, Uniform
from .space import Circle, Line, zyz
from .splines import Ramps, Spline
from .trajectory import Chain, Held, Motion

__all__ = [
    "Chain",
    "Circle",
    "Cycloid",
    "Fourier",
    "Held",
    "JointPath",
    "Line",
    "MinimumJerk",
    "Motion",
    "Postures",
    "Quintic",
    "Ramps",
    "Spline",
    "Trapezoid",
    "Uniform",
    "inverse_kinematics",
    "platform_postures",
    "zyz",
]
