# SPDX-License-Identifier: Apache-2.0
"""Expressions for whole numbers that were seen at several points."""
import itertools
import math


def _line(xs, ys):
    """floor((m*x + a)/s) as (m, a, s) that gives every y, or None."""
    pairs = sorted(set(zip(xs, ys)))
    if len({x for x, _ in pairs}) != len(pairs) or len(pairs) < 3:
        return None
    (x0, y0), (x1, y1) = pairs[0], pairs[-1]
    slope = (y1 - y0) / (x1 - x0)
    for s in list(range(1, 33)) + [36, 40, 48, 56, 64, 96, 128, 256]:
        for m in {math.floor(slope * s), math.ceil(slope * s), round(slope * s)}:
            if m <= 0:
                continue
            low = max(s * y - m * x for x, y in pairs)
            high = min(s * y - m * x + s - 1 for x, y in pairs)
            if low <= high:
                a = 0 if low <= 0 <= high else (low if low > 0 else high)
                return m, a, s
    return None


def _line_text(name, line):
    m, a, s = line
    text = name if m == 1 else f"{m}*{name}"
    if a:
        text = f"{text} {'+' if a > 0 else '-'} {abs(a)}"
    if s != 1:
        return f"floor(({text})/{s})"
    return f"({text})" if a else text


def _product(points, ys, names):
    for size in (2, 3, 4):
        for chosen in itertools.combinations(names, size):
            products = [math.prod(p[n] for n in chosen) for p in points]
            if all(y * products[0] == ys[0] * q for y, q in zip(ys, products)):
                top, bottom = ys[0], products[0]
                common = math.gcd(top, bottom)
                top, bottom = top // common, bottom // common
                text = "*".join(chosen)
                text = text if top == 1 else f"{top}*{text}"
                return text if bottom == 1 else f"({text}/{bottom})"
    return None


def _sum(points, ys, names, base):
    """base: index of the point from which single names were varied."""
    origin, at = points[base], ys[base]
    factors = {}
    for name in names:
        for point, y in zip(points, ys):
            others = all(point[n] == origin[n] for n in point if n != name)
            if others and point[name] != origin[name]:
                slope = (y - at) / (point[name] - origin[name])
                if slope != int(slope):
                    return None
                factors[name] = int(slope)
    used = {n: k for n, k in factors.items() if k}
    rest = at - sum(k * origin[n] for n, k in used.items())
    for point, y in zip(points, ys):
        if rest + sum(k * point[n] for n, k in used.items()) != y:
            return None
    text = " + ".join(n if k == 1 else f"{k}*{n}" for n, k in used.items())
    if rest:
        text += f" {'+' if rest > 0 else '-'} {abs(rest)}"
    return f"({text})"


def expression(points, ys, names, base=0):
    """A text over the names that is y at every point, or None."""
    if all(y == ys[0] for y in ys):
        return str(ys[0])
    for name in names:
        if all(p[name] == y for p, y in zip(points, ys)):
            return name
    for name in names:
        if len({(p[name], y) for p, y in zip(points, ys)}) == len({p[name] for p in points}):
            line = _line([p[name] for p in points], ys)
            if line is not None:
                return _line_text(name, line)
    found = _product(points, ys, names)
    return found if found is not None else _sum(points, ys, names, base)


def monomial(points, ys, names, base):
    """c * product of powers: how a cost grows, as near as it goes. Right at the last point."""
    origin, at = points[base], max(ys[base], 1.0)
    powers = {}
    for name in names:
        best = None
        for point, y in zip(points, ys):
            others = all(point[n] == origin[n] for n in point if n != name)
            if others and point[name] != origin[name] and y > 0:
                power = math.log(y / at) / math.log(point[name] / origin[name])
                distance = abs(math.log(point[name] / origin[name]))
                if best is None or distance > best[0]:
                    best = (distance, power)
        if best is not None:
            power = round(best[1])
            if power > 0:
                powers[name] = min(power, 4)
    last = points[-1]
    factor = ys[-1] / math.prod(last[n] ** k for n, k in powers.items())
    parts = [f"{factor:.6g}"] + [n if k == 1 else f"{n}^{k}" for n, k in powers.items()]
    return "*".join(parts)
