"""What drives a robot: trajectories, the joint positions that reach a pose, laws of control, a device to try them."""

from .adaptive import adaptive
from .block import Block
from .controller import Controller, continuous
from .device import Device, Timing
from .drive import Log, drive
from .driver import Driver, Measurement
from .electronics import Encoders, Motors, Potentiometers
from .feedback import pd_with_gravity, point_to_point, tracking
from .fourier import Fourier
from .gains import Gains
from .inverse_kinematics import Postures, inverse_kinematics
from .joint_path import JointPath
from .load import Load
from .observer import Observer, momentum_observer
from .pace import Paced, fastest
from .parallel_postures import platform_postures
from .plant import Plant
from .ramps import Cycloid, MinimumJerk, Quintic, Trapezoid, Uniform
from .sensing import Sensing
from .space import Circle, Line, zyz
from .splines import Ramps, Spline
from .tabled import Tabled
from .task_space import hybrid, impedance, task_tracking
from .trajectory import Chain, Held, Motion

__all__ = [
    "Block",
    "Chain",
    "Circle",
    "Controller",
    "Cycloid",
    "Device",
    "Driver",
    "Encoders",
    "Fourier",
    "Gains",
    "Held",
    "JointPath",
    "Line",
    "Load",
    "Log",
    "Measurement",
    "MinimumJerk",
    "Motion",
    "Motors",
    "Observer",
    "Paced",
    "Plant",
    "Postures",
    "Potentiometers",
    "Quintic",
    "Ramps",
    "Sensing",
    "Spline",
    "Tabled",
    "Timing",
    "Trapezoid",
    "Uniform",
    "adaptive",
    "continuous",
    "drive",
    "fastest",
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
