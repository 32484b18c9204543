"""Symmetric equations as sparse as a tree, solved along it: walks alone, so that it rolls."""


def eliminated(robot, M, b):
    """x such that M x = b, for M symmetric and positive over the freedoms: M = U D U', the tips eliminated first.

    Only those that carry a freedom z meet it in M. When it is taken out of their equations, for any t and s of them,

        u_t = M_zt / M_zz,    M_ts <- M_ts - u_t M_zs,    b_t <- b_t - u_t b_z               (1)

    no entry arises where none was: t and s carry each other. From the base outward then

        x_z = b_z / M_zz - sum of u_t x_t                                                    (2)

    Source: featherstone2005, its L' D L, for freedoms numbered as the tree grows.
    """
    A, U = robot.table("nv", "nv"), robot.table("nv", "nv")
    d, y, x = robot.per_freedom(), robot.per_freedom(), robot.vector()

    for c in robot.outward():
        for z in c.freedoms:
            A[z, z], y[z] = M[z, z], b[z]
            for _, t in carriers(robot, c, z):
                A[z, t] = M[z, t]

    for c in robot.inward():
        for z in reversed(c.freedoms):
            d[z] = 1 / A[z, z]
            for e, t in carriers(robot, c, z):
                U[z, t] = A[z, t] * d[z]  # (1)
                A[t, t] -= U[z, t] * A[z, t]
                for _, s in carriers(robot, e, t):
                    A[t, s] -= U[z, t] * A[z, s]

    for c in robot.inward():
        for z in reversed(c.freedoms):
            for _, t in carriers(robot, c, z):
                y[t] -= U[z, t] * y[z]

    for c in robot.outward():
        for z in c.freedoms:
            x[z] = y[z] * d[z]
    for c in robot.outward():
        for t in c.freedoms:
            for z in carried(robot, c, t):
                x[z] -= U[z, t] * x[t]  # (2)
    return x


def carriers(robot, b, z):
    """The freedoms that carry freedom z of link b, with their links: those before it in the joint, and all below."""
    for t in _parted(b.freedoms, z)[0]:
        yield b, t
    for c in robot.carriers(b):
        for t in c.freedoms:
            yield c, t


def carried(robot, b, t):
    """The freedoms that freedom t of link b carries: those after it in the joint, and all beyond."""
    yield from _parted(b.freedoms, t)[1]
    for c in robot.beyond(b):
        yield from c.freedoms


def _parted(freedoms, z):
    """The freedoms of a joint before one of them, and after it."""
    k = [t is z for t in freedoms].index(True)
    return freedoms[:k], freedoms[k + 1 :]
