"""Arguments made ready for a kernel: without a copy where that can be, in plain words where it cannot."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from appell.errors import ShapeError
from appell.kernel import arrays
from appell.kernel.arrays import Form

F8 = np.dtype("f8")
Q, M, W = Form("q", (3,)), Form("M", (2, 2)), Form("wrench", (2, 6))


def test_sizes():
    assert [f.size for f in (Q, M, W, Form("x", ()))] == [3, 4, 12, 1]


def test_arrays_of_the_right_type_are_taken_as_they_are():
    q = np.zeros((5, 3))
    (found,) = arrays.taken("f", [Q], [q], F8)
    assert np.shares_memory(found, q)
    assert found.shape == (5, 3)


@pytest.mark.parametrize("shape", [(2, 6), (12,), (7, 2, 6), (7, 12), (3, 7, 2, 6)])
def test_arguments_of_two_axes_may_come_flat(shape: tuple[int, ...]):
    (found,) = arrays.taken("f", [W], [np.zeros(shape)], F8)
    assert found.shape == (*shape[: len(shape) - (2 if shape[-1] == 6 else 1)], 12)


@pytest.mark.parametrize("shape", [(), (2,), (3, 2), (4,), (3, 1)])
def test_wrong_shapes_are_named(shape: tuple[int, ...]):
    with pytest.raises(ShapeError) as error:
        arrays.taken("f", [Q], [np.zeros(shape)], F8)
    assert str(error.value) == f"f: q has shape {shape}, wanted (..., 3)"


class Odd:
    """Refuses to be an array."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("no array")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("abc", "holds <U3"),
        ([1, None, 3], "holds object"),
        (None, "holds object"),
        ([1j, 2, 3], "holds complex128"),
        ([[1, 2], [3]], "is no array of numbers"),
        (b"abc", "holds |S3"),
        (np.array(["2020-01-01"], "M8[D]"), "holds datetime64"),
        (Odd(), r"is no array of numbers \(no array\)"),
        (object(), "holds object"),
    ],
)
def test_what_is_no_number_is_named(value: Any, words: str):
    with pytest.raises(ShapeError, match=f"f: q {words.replace('|', '.')}"):
        arrays.taken("f", [Q], [value], F8)


def test_counts_of_arguments():
    with pytest.raises(ShapeError) as error:
        arrays.taken("f", [Q, M], [1], F8)
    assert str(error.value) == "f got 1 arguments, wanted 2: q, M"


def test_leading_axes_that_do_not_fit():
    given = [np.zeros((3, 3)), np.zeros((4, 4))]
    with pytest.raises(ShapeError) as error:
        arrays.common("f", [Q, M], given)
    assert str(error.value) == "f: leading axes do not fit together: q (3, 3), M (4, 4)"
    assert arrays.common("f", [Q, M], [np.zeros((3, 1, 3)), np.zeros((5, 4))]) == (3, 5)


def test_rows_without_a_copy():
    x = np.zeros((2, 5, 3))
    assert np.shares_memory(arrays.rows(x, (2, 5)), x)
    assert np.shares_memory(arrays.rows(x[0], (2, 5)), x) is False
    assert arrays.rows(x[0], (2, 5)).shape == (10, 3)
    one = arrays.rows(x[0, 0], (2, 5))
    assert one.shape == (10, 3)
    assert one.strides[0] == 0
    turned = np.zeros((3, 5)).T
    assert np.shares_memory(arrays.rows(turned, (5,)), turned)
    back = turned[::-1]
    assert not np.shares_memory(arrays.rows(back, (5,)), back)


def test_views_of_short_axes_have_harmless_strides():
    one = np.lib.stride_tricks.as_strided(np.zeros(3), (1, 3), (-12345, 8))
    thin = np.lib.stride_tricks.as_strided(np.zeros(4), (4, 1), (8, -777))
    assert arrays.views([one, thin])[:, 1:].tolist() == [[0, 8], [8, 8]]


@pytest.mark.parametrize(("count", "threads"), [(0, 4), (1, 4), (7, 2), (100, 7), (8, 4), (5, 1)])
def test_every_row_is_run_once(count: int, threads: int):
    seen, lock = [0] * count, threading.Lock()

    def run(a: int, b: int) -> None:
        with lock:
            for k in range(a, b):
                seen[k] += 1

    arrays.spread(run, count, threads)
    assert seen == [1] * count


def test_an_error_in_a_thread_is_raised():
    def run(a: int, b: int) -> None:
        if a:
            raise MemoryError

    with pytest.raises(MemoryError):
        arrays.spread(run, 100, 4)


@pytest.mark.parametrize("threads", [-1, 1.5, "2", None, True, np.float64(2)])
def test_threads_that_are_no_number_of_threads(threads: Any):
    with pytest.raises(ShapeError, match="f: threads is .*, wanted a whole number, 0 for all processors"):
        arrays.workers("f", threads)


def test_threads():
    assert arrays.workers("f", 3) == arrays.workers("f", np.int32(3)) == 3
    assert arrays.workers("f", 0) >= 1
