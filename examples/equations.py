"""A double pendulum of two rods, as a textbook writes it: M, C and g in symbols, by any formulation."""

import sympy as sp

import appell

m1, m2, l1, l2, g = sp.symbols("m1 m2 l1 l2 g", positive=True)
rods = {
    "upper.mass": m1,
    "upper.first.x": m1 * l1 / 2,
    "upper.second.xx": m1 * l1**2 / 3,
    "lower.mass": m2,
    "lower.first.x": m2 * l2 / 2,
    "lower.second.xx": m2 * l2**2 / 3,
    "lower.offset.x": l1,
    "gravity.y": -g,
}
arm = appell.load("double_pendulum")
for letter, what in (("M", "mass_matrix"), ("C", "coriolis"), ("g", "gravity_forces")):
    print(f"{letter} =")
    sp.pprint(sp.simplify(arm.symbolic(what, inputs=rods)), use_unicode=False)

tau = arm.symbolic("inverse_dynamics", method="gibbs_appell", inputs=rods)
same = arm.symbolic("inverse_dynamics", method="lagrange", inputs=rods)
assert sp.simplify(tau - same).is_zero_matrix
print("\nGibbs-Appell's equations less Lagrange's:", sp.simplify(tau - same).tolist())
