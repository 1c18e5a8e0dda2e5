"""Pose graphs from Python: weights from information, what is fixed or measured of nodes, points, and mistakes."""
import numpy as np
import pytest

import lavdm


def turn(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.moveaxis(np.array([[c, -s], [s, c]]), (0, 1), (-2, -1))


def walk(noise=0.0, n=20, seed=5):
    """A closed way in the plane with chords: edges, shifts, information, and the truth (R body from world, p)."""
    rng = np.random.default_rng(seed)
    theta, p = rng.uniform(-3, 3, n), rng.normal(0, 3, (n, 2))
    theta[0], p[0] = 0, 0
    R = turn(-theta)
    row = np.r_[np.arange(n), rng.integers(0, n, n)]
    col = np.r_[(np.arange(n) + 1) % n, rng.integers(0, n, n)]
    row, col = row[row != col], col[row != col]
    spread = 10.0 ** rng.uniform(-1, 1, (len(row), 3))
    mixed = np.linalg.qr(rng.standard_normal((len(row), 3, 3)))[0]
    information = np.einsum("eab,eb,ecb->eac", mixed, spread, mixed) * 100
    error = np.einsum("eab,eb->ea", np.linalg.cholesky(np.linalg.inv(information)), rng.standard_normal((len(row), 3)))
    angle = theta[col] - theta[row] + noise * error[:, 2]
    shift = np.einsum("eab,eb->ea", R[row], p[col] - p[row]) + noise * error[:, :2]
    return (row, col, angle), shift, information, R, p


def halves(matrices):
    return np.stack([m[np.triu_indices(m.shape[-1])] for m in matrices])


def test_weights_by_the_rule_of_se_sync():
    rng = np.random.default_rng(2)
    for q, d in ((2, 3), (3, 6)):
        root = rng.standard_normal((7, d, d))
        information = root @ np.swapaxes(root, 1, 2) + 0.1 * np.eye(d)
        kappa, tau = lavdm.pose_weights(information, q)
        for e, full in enumerate(information):
            shift, about = full[:q, :q], full[q:, q:]
            assert np.isclose(tau[e], q / np.trace(np.linalg.inv(shift)), rtol=1e-12)
            expected = about[0, 0] if q == 2 else 3 / (2 * np.trace(np.linalg.inv(about)))
            assert np.isclose(kappa[e], expected, rtol=1e-12)
        again = lavdm.pose_weights(halves(information), q)
        assert np.array_equal(again[0], kappa) and np.array_equal(again[1], tau)
    one = lavdm.pose_weights(np.eye(3), 2)
    assert one[0].shape == (1,)


@pytest.mark.parametrize("information, q, words", [
    (np.zeros((2, 3, 3)), 2, "edge 0 is not positive definite"),
    (np.stack([np.eye(3), np.diag([1.0, -1.0, 1.0])]), 2, "edge 1 is not positive definite"),
    (np.triu(np.ones((1, 3, 3))), 2, "not symmetric"),
    (np.ones((4, 5)), 2, "the shape is"), (np.eye(6)[None], 2, "the shape is"), (np.eye(3)[None], 4, "2 or 3 dimensions"),
    (3.0, 2, "the shape is"),
])
def test_bad_information(information, q, words):
    with pytest.raises(ValueError, match=words):
        lavdm.pose_weights(information, q)


def test_information_gives_the_weights():
    edges, shift, information, R, p = walk(0.3)
    kappa, tau = lavdm.pose_weights(information, 2)
    found = lavdm.synchronize(edges, shift=shift, information=information)
    same = lavdm.synchronize((*edges, kappa), shift=shift, shift_weight=tau)
    assert np.array_equal(found.element, same.element) and np.array_equal(found.position, same.position)
    other = lavdm.synchronize(edges, shift=shift)
    assert not np.allclose(found.position, other.position, atol=1e-3)


def test_exact_poses():
    edges, shift, information, R, p = walk()
    found = lavdm.synchronize(edges, shift=shift, information=information)
    assert np.allclose(found.element, R, atol=1e-10) and np.allclose(found.position, p, atol=1e-9)


def turned(R, p, angle, move):
    """The world turned by an angle, then moved: R body from world, p."""
    G = turn(np.float64(angle))
    return R @ G.T, p @ G.T + move


def test_one_fixed_pose_chooses_the_world():
    edges, shift, information, R, p = walk(0.3)
    plain = lavdm.synchronize(edges, shift=shift, information=information, certify=True)
    wanted_R, wanted_p = turned(plain.element, plain.position, 0.7, [5, -2])
    found = lavdm.synchronize(edges, shift=shift, information=information, certify=True,
                              fixed=([4], wanted_R[4:5], wanted_p[4:5]))
    assert plain.certified and found.certified and found.cost == plain.cost
    assert np.array_equal(found.element[4], wanted_R[4]) and np.array_equal(found.position[4], wanted_p[4])
    assert np.allclose(found.element, wanted_R, atol=1e-12) and np.allclose(found.position, wanted_p, atol=1e-11)
    angle = np.arctan2(wanted_R[4, 1, 0], wanted_R[4, 0, 0])
    same = lavdm.synchronize(edges, shift=shift, information=information, fixed=([4], [angle], wanted_p[4:5]))
    assert np.allclose(same.element, found.element, atol=1e-12)


def test_fixed_poses_stay_and_exact_ones_agree():
    edges, shift, information, R, p = walk()
    world_R, world_p = turned(R, p, -1.1, [3, 4])
    found = lavdm.synchronize(edges, shift=shift, information=information, fixed=([2, 9], world_R[[2, 9]], world_p[[2, 9]]))
    assert np.array_equal(found.element[[2, 9]], world_R[[2, 9]])
    assert np.allclose(found.element, world_R, atol=1e-9) and np.allclose(found.position, world_p, atol=1e-8)
    assert found.chi2 < 1e-15 and not found.certified
    off = world_p[[2, 9]] + [[0, 0], [1, 0]]  # two that the edges contradict
    found = lavdm.synchronize(edges, shift=shift, information=information, fixed=([2, 9], world_R[[2, 9]], off))
    assert np.array_equal(found.position[[2, 9]], off) and found.chi2 > 1


def test_priors_share_by_their_information():
    edges, shift, information, R, p = walk()
    world_R, world_p = turned(R, p, 0.4, [1, 2])
    about = np.stack([np.diag([30.0, 30.0, 5.0]), np.diag([10.0, 10.0, 5.0])])
    said = world_p[[3, 3]] + [[0, 0], [4, 0]]
    found = lavdm.synchronize(edges, shift=shift, information=information, priors=([3, 3], world_R[[3, 3]], said, about))
    assert np.allclose(found.position, world_p + [1, 0], atol=1e-7)  # a quarter of the way
    assert np.allclose(found.element, world_R, atol=1e-8)
    assert np.isclose(found.chi2, 30 * 1 + 10 * 9, rtol=1e-9)
    same = lavdm.synchronize(edges, shift=shift, information=information,
                             priors=([3, 3], world_R[[3, 3]], said, halves(about)))
    assert np.array_equal(same.position, found.position)


def test_points_join_what_edges_do_not():
    edges, shift, information, R, p = walk()
    rng = np.random.default_rng(1)
    places, numbers = rng.normal(0, 4, (4, 2)), np.array([7, 900, 11, 2**40])
    keep = (edges[0] < 10) == (edges[1] < 10)
    edges, shift, information = tuple(x[keep] for x in edges), shift[keep], information[keep]
    by, which = np.repeat([1, 6, 12, 15], 4), np.tile(np.arange(4), 4)
    seen = np.einsum("sab,sb->sa", R[by], places[which] - p[by])
    with pytest.warns(lavdm.LavdmWarning, match="nothing relates"):
        apart = lavdm.synchronize(edges, shift=shift, information=information)
    assert apart.components > 1 and apart.point is None
    found = lavdm.synchronize(edges, shift=shift, information=information, sightings=(by, numbers[which], seen))
    order = np.argsort(numbers)
    assert np.array_equal(found.point, numbers[order])
    assert np.allclose(found.point_position, places[order], atol=1e-8)
    assert np.allclose(found.position, p, atol=1e-8) and np.allclose(found.element, R, atol=1e-9)


def test_least_squares_with_noise_is_a_minimum():
    """chi2 as it is defined, from the poses found; no small step of any unknown lowers it."""
    edges, shift, information, R, p = walk(0.5, n=8)
    rng = np.random.default_rng(4)
    row, col, angle = edges
    prior, about = np.array([0, 5]), np.diag([4.0, 9.0, 25.0])
    prior_p, prior_R = p[prior] + rng.normal(0, 0.2, (2, 2)), R[prior] @ turn(rng.normal(0, 0.1, 2))
    places = rng.normal(0, 4, (3, 2))
    by, which = np.repeat(np.arange(8), 3), np.tile(np.arange(3), 8)
    seen = np.einsum("sab,sb->sa", R[by], places[which] - p[by]) + rng.normal(0, 0.1, (24, 2))
    found = lavdm.synchronize(edges, shift=shift, information=information, full=True, covariance=True,
                              priors=(prior, prior_R, prior_p, about), sightings=(by, which, seen, 100 * np.eye(2)))

    def errors(x):
        theta, place, point = x[:8], x[8:24].reshape(8, 2), x[24:].reshape(3, 2)
        Q = turn(-theta)  # body from world
        wrap = lambda a: np.angle(np.exp(1j * a))
        moved = np.einsum("eab,eb->ea", Q[row], place[col] - place[row]) - shift
        e = np.c_[np.einsum("eab,eb->ea", turn(-angle), moved), wrap(theta[col] - theta[row] - angle)]
        turned_by = np.arctan2(prior_R[:, 0, 1], prior_R[:, 0, 0])
        f = np.c_[np.einsum("kab,kb->ka", prior_R, place[prior] - prior_p), wrap(theta[prior] - turned_by)]
        s = np.einsum("sab,sb->sa", Q[by], point[which] - place[by]) - seen
        return np.r_[np.einsum("eba,eb->ea", np.linalg.cholesky(information), e).ravel(),
                     (f * np.sqrt(np.diag(about))).ravel(), 10 * s.ravel()]

    x = np.r_[-found.angle, found.position.ravel(), found.point_position.ravel()]
    jacobian = np.stack([(errors(x + h) - errors(x - h)) / 2e-6 for h in 1e-6 * np.eye(len(x))], axis=1)
    assert np.isclose(found.chi2, np.sum(errors(x) ** 2), rtol=1e-9) and found.chi2 > 1
    gradient, scale = jacobian.T @ errors(x), np.sqrt(np.sum(jacobian**2, axis=0) * found.chi2)
    assert np.abs(gradient / scale).max() < 1e-6
    spread = np.linalg.inv(jacobian.T @ jacobian)
    for i in range(8):
        at = [8 + 2 * i, 9 + 2 * i, i]
        assert np.allclose(found.covariance[i], spread[np.ix_(at, at)], rtol=1e-5, atol=1e-6 * spread[i, i])
    for k in range(3):
        at = [24 + 2 * k, 25 + 2 * k]
        assert np.allclose(found.point_covariance[k], spread[np.ix_(at, at)], rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("how, words", [
    (dict(full=True), "full: of pose graphs"), (dict(covariance=True), "covariance: of pose graphs"),
    (dict(information=np.eye(3)), "information: of pose graphs"),
    (dict(fixed=([0], [0.0], [[0, 0]])), "fixed, priors and sightings: of pose graphs"),
    (dict(shift_weight=[1, 1, 1]), "shift_weight: of pose graphs"),
    (dict(shift=np.zeros((3, 2)), full=True), "information of the edges is needed"),
    (dict(shift=np.zeros((3, 2)), information=np.eye(4)), "information: the shape"),
    (dict(shift=np.zeros((3, 2)), fixed=([0], [0.0], [[0, 0, 0]])), "fixed: positions: the shape"),
    (dict(shift=np.zeros((3, 2)), fixed=([0], [[0.0, 1.0]], [[0, 0]])), "fixed: elements: the shape"),
    (dict(shift=np.zeros((3, 2)), priors=([0], [0.0], [[0, 0]], np.eye(2))), "priors: information: the shape"),
    (dict(shift=np.zeros((3, 2)), sightings=([0, 1], [0], [[0, 0], [1, 1]])), "sightings: points: the shape"),
    (dict(robust="very"), "robust is 'very'"), (dict(certify="maybe"), "certify is 'maybe'"),
    (dict(robust=-1), "robust is -1"),
])
def test_mistakes(how, words):
    with pytest.raises(ValueError, match=words):
        lavdm.synchronize(([0, 1, 2], [1, 2, 0], [0.1, 0.2, -0.3]), **how)


@pytest.mark.parametrize("how, words", [
    (dict(fixed=[0]), "fixed: a tuple"), (dict(priors=([0], [0.0], [[0, 0]])), "priors: a tuple"),
    (dict(sightings=([0], [0])), "sightings: a tuple"), (dict(robust=1.5), "robust is 1.5"),
])
def test_mistakes_of_type(how, words):
    with pytest.raises(TypeError, match=words):
        lavdm.synchronize(([0, 1, 2], [1, 2, 0], [0.1, 0.2, -0.3]), shift=np.zeros((3, 2)), **how)
