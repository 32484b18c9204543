"""One motion by every formulation: equal forces, unlike costs, what each computes on its way, and DeNOC's matrices."""

import numpy as np

import appell

arm = appell.load("stanford")
q, v = arm.random_state(seed=1)
a = np.ones(arm.nv)
tau = arm.inverse_dynamics(q, v, a)

print(f"{'inverse dynamics by':<24}{'as written':>12}{'as run':>12}   off by, from")
for name in arm.methods("inverse_dynamics"):
    cost = arm.count("inverse_dynamics", method=name)
    written, run = (f"{x.mul + x.div} + {x.add}" for x in (cost.text, cost.program))
    off = abs(arm.inverse_dynamics(q, v, a, method=name) - tau).max() / abs(tau).max()
    print(f"{name:<24}{written:>12}{run:>12}   {off:.0e}, {', '.join(appell.cite(name).keys)}")
    assert off < 1e-12

page = arm.explain("gibbs_appell", q, v, a)  # print(page) shows all of it, with the equations
print("\nGibbs function of each body:", {body: round(S, 3) for body, S in page.gibbs.items()})

m = arm.denoc_matrices(q, v)  # M = N' M N with N = Nl Nd, and M = U D U'
print("Nl, Nd, N:", m.N_l.shape, m.N_d.shape, m.N.shape)
assert np.allclose(m.N.T @ m.M @ m.N, arm.mass_matrix(q)) and np.allclose(m.U @ m.D @ m.U.T, m.I)
