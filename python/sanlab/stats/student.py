"""Student's t distribution, as far as confidence intervals need it."""

from __future__ import annotations

import math
from functools import lru_cache

_TINY = 1e-300
_CLOSE = 1e-15
_STEPS = 300


def t_cdf(t: float, degrees: int) -> float:
    """Share of Student's t distribution below `t`.

    By way of the regularised incomplete beta function, NIST's Digital Library of Mathematical
    Functions, 8.17; for T with n degrees, P(|T| > t) = I_x(n/2, 1/2) at x = n / (n + t²).

    >>> round(t_cdf(2.571, 5), 4)
    0.975
    """
    tail = 0.5 * _incomplete_beta(degrees / (degrees + t * t), degrees / 2, 0.5)
    return 1 - tail if t > 0 else tail


@lru_cache(maxsize=512)
def t_quantile(share: float, degrees: int) -> float:
    """The value that `share` of Student's t distribution lies below.

    >>> round(t_quantile(0.975, 1), 3), round(t_quantile(0.975, 30), 3)
    (12.706, 2.042)
    """
    if not 0 < share < 1 or degrees < 1:
        message = f"no t quantile for a share of {share} with {degrees} degrees of freedom"
        raise ValueError(message)
    if share < 0.5:
        return -t_quantile(1 - share, degrees)
    high = 1.0
    while t_cdf(high, degrees) < share:
        high *= 2
    low = 0.0
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        if middle in {low, high}:
            break
        if t_cdf(middle, degrees) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """I_x(a, b), by its continued fraction where that converges fast."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(1 - x, b, a)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    return front / (a * _continued_fraction(x, a, b))


def _continued_fraction(x: float, a: float, b: float) -> float:
    """DLMF 8.17.22, from the front with Lentz's method."""
    value = numerator = 1.0
    denominator = 0.0
    for step in range(1, _STEPS):
        half = step // 2
        if step % 2:
            term = -(a + half) * (a + b + half) * x / ((a + 2 * half) * (a + 2 * half + 1))
        else:
            term = half * (b - half) * x / ((a + 2 * half - 1) * (a + 2 * half))
        denominator = 1 / (1 + term * denominator or _TINY)
        numerator = 1 + term / numerator or _TINY
        factor = numerator * denominator
        value *= factor
        if abs(factor - 1) < _CLOSE:
            break
    return value
