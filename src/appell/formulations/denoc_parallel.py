"""Parallel robots leg by leg, by the decoupled natural orthogonal complement."""

from ..spatial import Articulated, Twist, Wrench
from ..vec import Vec3
from .legs import directions, factored, passed
from .still import Still
from .world import World


class Legs:
    """All joints of a parallel robot from those that are driven, in one configuration: v = Nl Nc Nd u, never formed.

    Of every leg there are Phi_i, p~_i and delta_i (`legs.passed`), and s = A_ei p_i.
    """

    def __init__(self, robot, q, parallel):
        self.robot, self.q, self.parallel, world = robot, q, parallel, World(robot)
        self.driven = parallel.driven
        for _ in world.outward(q):
            pass
        e = world.o[parallel.end.link] + world.arm(parallel.end)
        self.legs = [passed(world, leg, parallel, e) for leg in parallel.legs]
        total = Articulated()
        for leg in self.legs:
            total += leg.phi
        self.factors = factored(total, parallel)

    def rates(self, driven, adds=None):
        """All rates from those of driven joints; accelerations, where velocities add something to them.

        The legs' equations for the twist t_e of the end-effector are free of all joints that are not driven, and add
        up to one that can be solved. Then each leg gives its joints, from the base outward; A_e,i-1 t_i-1 is the sum
        of s u over the joints before i and the driven ones beyond it,

            Phi t_e = sum over the legs of Phi_2 (sum over driven joints of s u),   Phi = sum of Phi_2      (1)
            t_e = J u,   J = Phi^-1 [Phi_2 s ...]                                                           (2)
            u_i = p~_i . (t_e - A_e,i-1 t_i-1) / delta_i                                                    (3)

        Source: saha2010, (27a) to (31) as corrected.
        """
        u, moved, added, te = self._end(driven, adds)
        for leg, by, (_, taken) in zip(self.legs, moved, added, strict=True):
            left = te + by * -1
            for step in leg.steps:
                if step.tilde is not None:
                    u[step.freedom] = (step.tilde @ left - taken[step.freedom.index]) * step.inverse  # (3)
                    left += step.twist * -u[step.freedom]
        return u

    def end(self, driven):
        """The twist of the end-effector, at its origin, in the base's axes."""
        return self._end(driven, None)[-1]

    def _end(self, driven, adds):
        u, moved, added, right = self.robot.vector(), [], [], Wrench()
        for k in self.driven:
            u[k] = driven[k]
        for leg, add in zip(self.legs, adds or [Wrench()] * len(self.legs), strict=True):
            moved.append(Twist())
            for step in leg.steps:
                if step.tilde is None:
                    moved[-1] += step.twist * u[step.freedom]
            added.append(_carried(leg, add))
            right += leg.phi @ moved[-1] + added[-1][0]  # (1)
        return u, moved, added, self._twist(right)  # (2)

    def _twist(self, wrench):
        """Phi^-1 times a wrench."""
        x = self.factors.solve(dict(enumerate((*wrench.force, *wrench.moment))))
        ways = [x.get(k, 0) for k in range(6)]
        return Twist(Vec3(*ways[3:]), Vec3(*ways[:3]))

    def adds(self, v):
        """What velocities add to the accelerations of the legs, in the directions in which they are cut."""
        world, p = World(self.robot), self.parallel
        for _ in world.outward(self.q, v, Still()):
            pass
        e = world.o[p.end.link] + world.arm(p.end)
        found = []
        for leg in p.legs:
            add = Wrench()
            for c, weight, bias in directions(world, leg, p, e) if leg.cut else ():
                add += c * (weight * bias)
            found.append(add)
        return found

    def driving(self, forces):
        """What driven joints must give for the forces f of all joints, by their places: `rates` transposed.

            eta <- eta + p~_i (f_i - s_i . eta) / delta_i,   from the end-effector inward                   (4)
            f_k <- f_k - s_k . eta + s_k . Phi_2 Phi^-1 (sum of eta over the legs)                          (5)

        Source: saha2010, Nd' Nc' Nl' of (32), with the B_i that Nc needs.
        """
        found, total, etas = {k: forces[k] for k in self.driven}, Wrench(), []
        for leg in self.legs:
            eta = Wrench()
            for step in reversed(leg.steps):
                if step.tilde is not None:
                    eta += step.tilde * ((forces[step.freedom] - eta @ step.twist) * step.inverse)  # (4)
            etas.append(eta)
            total += eta
        te = self._twist(total)
        for leg, eta in zip(self.legs, etas, strict=True):
            back = leg.phi @ te - eta
            for step in leg.steps:
                if step.tilde is None:
                    found[step.freedom.index] += back @ step.twist  # (5)
        return found


def _carried(leg, add):
    """Phi_2 times what is added at the end-effector, and p~_i . of it for every joint."""
    taken = {}
    for step in reversed(leg.steps):
        if step.tilde is not None:
            taken[step.freedom.index] = add @ step.twist
            add = add - step.tilde * (taken[step.freedom.index] * step.inverse)
    return add, taken
