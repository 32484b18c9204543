"""What drives a robot: trajectories, the joint positions that reach a pose, and laws of control."""

from .adaptive import adaptive
from .block import Block
from .controller import Controller, continuous
from .feedback import pd_with_gravity, point_to_point, tracking
from .fourier import Fourier
from .gains import Gains
from .inverse_kinematics import Postures, inverse_kinematics
from .joint_path import JointPath
from .observer import Observer, momentum_observer
from .parallel_postures import platform_postures
from .ramps import Cycloid, MinimumJerk, Quintic, Trapezoid, Uniform
from .space import Circle, Line, zyz
from .splines import Ramps, Spline
from .task_space import hybrid, impedance, task_tracking
from .trajectory import Chain, Held, Motion

__all__ = [
    "Block",
    "Chain",
    "Circle",
    "Controller",
    "Cycloid",
    "Fourier",
    "Gains",
    "Held",
    "JointPath",
    "Line",
    "MinimumJerk",
    "Motion",
    "Observer",
    "Postures",
    "Quintic",
    "Ramps",
    "Spline",
    "Trapezoid",
    "Uniform",
    "adaptive",
    "continuous",
    "hybrid",
    "impedance",
    "inverse_kinematics",
    "momentum_observer",
    "pd_with_gravity",
    "platform_postures",
    "point_to_point",
    "task_tracking",
    "tracking",
    "zyz",
]
