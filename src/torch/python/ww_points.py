# SPDX-License-Identifier: Apache-2.0
"""Where else than at the given shape a module runs: small points, and what each number may be."""
import math
import random
import re
import time

import ww_fit
from ww_probe import is_empty, probe, same_structure, shapes_of
from ww_errors import TooLong

LONG = 3  # seconds of the first answer, which loads parts of torch
NOT_SIZES = re.compile(r"kernel|stride|pad|dilat|group|head|layer|pool|factor|expan|axis|expert|block|"
                       r"scal|topk|top_k|reduce_dim|iter|ratio|stage|level|conv|chunk|window|patch")
RESERVED = {"abs", "sqrt", "exp", "log", "log2", "floor", "ceil", "round", "min", "max", "pow", "and",
            "or", "inf", "u1", "u2", "u3", "u4", "label", "int", "float", "double", "char", "long",
            "short", "signed", "unsigned", "void", "const", "bool", "auto", "class", "struct", "union",
            "enum", "new", "delete", "this", "template", "typename", "return", "if", "else", "for",
            "while", "do", "switch", "case", "default", "break", "continue", "goto", "register",
            "static", "extern", "inline", "operator", "namespace", "using", "public", "private",
            "protected", "signature", "solve", "given", "weight", "stream", "not", "xor", "bitor", "bitand", "compl", "typedef",
            "volatile", "virtual", "explicit", "friend", "mutable", "export", "sizeof", "asm", "true",
            "false", "nullptr", "constexpr", "noexcept", "try", "catch", "throw", "typeid", "alignas",
            "alignof", "decltype", "concept", "requires", "consteval", "constinit", "warpSize", "NULL"}


def is_cheap(found):
    """Whether running it costs little more than following its shapes."""
    slots = found.inputs + found.parameters + found.outputs
    return found.flops < 1e7 and sum(math.prod(s.shape) for s in slots) < 1e5


class Points:
    """Asks a module at other values of its whole numbers, within a time."""

    def __init__(self, source, mode, backward, deadline, axes=()):
        self.source, self.mode, self.backward, self.deadline = source, mode, backward, deadline
        self.axes = set(axes)  # names that the file says are sizes
        self.given = dict(source.constants)
        self.known = {}
        self.fake = True
        self.first, self.slowest = 0.0, 0.0
        self.asked = 0

    def at(self, values):
        """The probe at the given numbers with these in their place, or None where it fails."""
        merged = dict(self.given, **values)
        key = tuple(sorted(merged.items()))
        if key not in self.known:
            started = time.process_time()
            try:
                found = probe(self.source, merged, self.mode, self.backward, self.fake)
                if is_empty(found):
                    raise ValueError("a tensor has no elements there")
                given = self.known.get(tuple(sorted(self.given.items())))
                if given is not None and not same_structure(found, given):
                    raise ValueError("the module has other parameters, inputs or outputs there")
                if self.fake and is_cheap(found):
                    # Some versions of torch follow the shapes of a window that is larger than its input.
                    probe(self.source, merged, self.mode, self.backward, False)
                self.known[key] = found
            except TooLong:
                raise
            except (Exception, SystemExit) as error:
                self.known[key] = None
                self.last_error = error
            took = time.process_time() - started
            if self.asked:  # the first one loads parts of torch
                self.slowest = max(self.slowest, took)
            else:
                self.first = took
            self.asked += 1
        return self.known[key]

    def has_time(self, share=1.0):
        return time.process_time() + 2 * self.slowest < self.deadline * share + self.started * (1 - share)

    started = 0.0

    def may_be_size(self, name):
        low, value = name.lower(), self.given[name]
        if name in RESERVED or not re.fullmatch(r"[A-Za-z]\w*", name):
            return False
        if name in self.axes:
            return True
        if value <= 4 and not low.startswith("batch"):
            return False
        return not NOT_SIZES.search(low) and not (value <= 8 and low in ("dim", "eps"))

    def light(self, names):
        """Values at which asking is cheap: the given ones, unless a module with long loops is slow there."""
        small = {n: min(self.given[n], 8) for n in names}
        return small if self.first > LONG and self.at(small) is not None else {}

    def sizes(self, first):
        """Names of the numbers that change shapes and may be made smaller."""
        names = [n for n in self.given if self.may_be_size(n)]
        if first is None:
            return names
        found, base = [], self.light(names)
        for name in names:
            if not self.has_time():
                break
            value = base.get(name, self.given[name])
            other = self.at(dict(base, **{name: max(1, value // 2)}))
            if other is None or shapes_of(other) != shapes_of(self.at(base)):
                found.append(name)  # else no shape follows from it
        return found

    def reduced(self, names):
        """Small values at which the module still runs: {name: value}."""
        best = None
        for cap in (4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128):
            if not self.has_time(0.6):
                break
            values = {n: min(self.given[n], cap) for n in names}
            if self.at(values) is not None:
                best = values
                break
        if best is None:
            best = {n: self.given[n] for n in names}
            for name in sorted(names, key=lambda n: -self.given[n]):
                best = self.smaller(best, name, (4, 8, 16, 32, 64, 128, 256))
        for name in sorted(names, key=lambda n: -best[n]):
            if best[name] > 4:
                best = self.smaller(best, name, (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64))
        return self.lighter(self.different(best))

    def smaller(self, values, name, candidates):
        for value in candidates:
            if value >= values[name] or not self.has_time(0.6):
                break
            if self.at(dict(values, **{name: value})) is not None:
                return dict(values, **{name: value})
        return values

    def lighter(self, values):
        """Fewer rows where one call is a lot of work."""
        for name in values:
            found = self.at(values)
            if found is None or found.flops < 1e9:
                break
            for value in (1, 2):
                other = self.at(dict(values, **{name: value})) if value < values[name] else None
                if other is not None and other.flops < 0.8 * found.flops:
                    values = dict(values, **{name: value})
                    break
        return values

    def different(self, values):
        """Different sizes for different numbers, so that none can stand for another."""
        used = set()
        for name in values:
            if values[name] >= self.given[name] and values[name] in used:
                continue
            for value in [values[name], 3, 5, 2, 7, 6, 8, 10, 12]:
                other = dict(values, **{name: value})
                if value in used or value > max(self.given[name], 1) or value > 2 * values[name] + 3:
                    continue
                if self.slowest > 1 or not self.has_time(0.6):
                    break
                if self.at(other) is not None:
                    values = other
                    break
            used.add(values[name])
        return values

    def domain_of(self, name, small):
        """('low', step) of the values that work beside the small ones, or None."""
        most = self.given[name]
        tried = [v for v in (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 17, 24, 32, 33) if v <= most]
        works = {v: self.fits(small, name, v) for v in tried}
        for low in tried:
            if all(works[v] for v in tried if v >= low) and low <= max(small[name], 1) and \
                    (len([v for v in tried if v >= low]) >= 3 or most <= 4):
                return low, 1
        for step in (2, 3, 4, 6, 8, 12, 16, 32, 64):
            multiples = [step * k for k in (1, 2, 3, 5) if step * k <= most]
            if most % step == 0 and small[name] % step == 0 and len(multiples) >= 2 and \
                    all(self.fits(small, name, v) for v in multiples):
                return step, step
        return None

    def fits(self, small, name, value):
        return self.has_time() and self.same(self.at(dict(small, **{name: value})), small)

    def same(self, found, small):
        return found is not None and same_structure(found, self.at(small))


class Shapes:
    """What task.toml says of sizes: values, domains, and expressions for dimensions."""

    def __init__(self):
        self.names = []
        self.size = {}
        self.edges = []
        self.domain = {}
        self.kind = "fixed"
        self.points = []
        self.probes = []
        self.base = 0

    def of(self, pick):
        """An expression for the number that pick(probe) is; None where there is none."""
        return self.expression([pick(p) for p in self.probes])


class General(Shapes):
    def expression(self, ys):
        return ww_fit.expression(self.points, ys, self.names, self.base)

    def grows(self, ys):
        return ww_fit.monomial(self.points, ys, self.names, self.base)


class TwoPoints(Shapes):
    """The given shape and a small one, told apart by the value `given`."""

    def expression(self, ys):
        small, full = ys[0], ys[-1]
        if small == full:
            return str(small)
        for name in self.names:
            if name != "given" and all(p[name] == y for p, y in zip(self.points, ys)):
                return name
        return f"({small} + {full - small}*given)"

    def grows(self, ys):
        small, full = ys[0], ys[-1]
        return f"{small:.6g} + {full - small:.6g}*given" if full != small else f"{full:.6g}"


def fixed_shapes(found):
    shapes = TwoPoints()
    shapes.probes = [found]
    shapes.points = [{}]
    return shapes


def two_points(points, small, full, values):
    shapes = TwoPoints()
    shapes.kind = "two points"
    changed = {n: v for n, v in values.items() if v != points.given[n]}
    shapes.names = ["given"] + list(changed)
    shapes.size = dict({"given": 1}, **{n: points.given[n] for n in changed})
    shapes.edges = [dict({"given": 0}, **changed)]
    shapes.domain = {"given": "{0, 1}"}
    for name, value in changed.items():
        shapes.domain[name] = f"fixed {value} + {points.given[name] - value}*given"
    shapes.probes = [small, full]
    shapes.points = [shapes.edges[0], shapes.size]
    return shapes


def general(points, names, small, full, values):
    """A General where every number has a domain and every dimension an expression, else None."""
    shapes = General()
    shapes.kind = "general"
    free = {}
    for name in names:
        if points.given[name] == values[name] and points.given[name] <= 4:
            continue
        found = points.domain_of(name, values)
        if found is None:
            twin = next((o for o in free if points.given[o] == points.given[name]), None)
            if twin is None or not tied(points, values, name, twin):
                return None
            shapes.domain[name] = f"fixed {twin}"
        else:
            free[name] = found
            low, step = found
            shapes.domain[name] = (f"{low}..{points.given[name]}" if step == 1 else
                                   f"{low}..{points.given[name]} multiple of {step}")
        shapes.names.append(name)
    if not free:
        return None
    rows = combinations(points, shapes, free, values)
    if rows is None:
        return None
    shapes.size = {n: points.given[n] for n in shapes.names}
    shapes.edges = [{n: values[n] for n in shapes.names}] + rows[1]
    shapes.probes = [points.at(values)] + rows[0] + [full]
    shapes.points = [{n: p.values[n] for n in shapes.names} for p in shapes.probes]
    return shapes if all_fit(shapes, small) else None


def tied(points, values, name, twin):
    return all(points.fits(dict(values, **{twin: v}), name, v) for v in (2, 3, 4, 8)
               if v <= points.given[name])


def combinations(points, shapes, free, values):
    """Probes along each free name and at drawn points: (probes, edges), or None when one fails."""
    def whole(chosen):
        for name, text in shapes.domain.items():
            if text.startswith("fixed "):
                chosen[name] = chosen[text[6:]]
        return chosen

    probes, edges = [], []
    base = dict(values)
    for name in free:
        low, step = free[name]
        for value in {low, low + step, low + 2 * step, low + 5 * step, low + 9 * step}:
            if value <= points.given[name]:
                found = points.at(whole(dict(base, **{name: value})))
                if not points.same(found, values):
                    return None
                probes.append(found)
    draw = random.Random(1)
    rows = [{n: low for n, (low, _) in free.items()}]
    for _ in range(6):
        rows.append({n: min(points.given[n] // step * step, low + step * draw.choice((0, 1, 2, 3, 6, 10)))
                     for n, (low, step) in free.items()})
    for row in rows:
        if not points.has_time():
            return None
        merged = whole(dict(base, **row))
        found = points.at(merged)
        if not points.same(found, values):
            return None
        probes.append(found)
        edge = {n: merged[n] for n in shapes.names}
        if edge not in edges and edge != {n: values[n] for n in shapes.names}:
            edges.append(edge)
    for row in large_rows(points, free):
        if not points.has_time(0.8):
            break
        found = points.at(whole(dict(base, **row)))
        if not points.same(found, values):
            return None
        probes.append(found)
    return probes, edges[:5]


def large_rows(points, free):
    """Points up to the given sizes, where shapes alone are followed. Small ones do not tell all numbers
    apart: any width that a large window fits into but once gives one column, whatever gives the rows."""
    if not points.fake:
        return []
    draw = random.Random(2)

    def up_to(name, share):
        low, step = free[name]
        return low + int((points.given[name] - low) * share) // step * step

    alone = [{name: up_to(name, share)} for name in free for share in (0.45, 0.8)]
    return alone + [{n: up_to(n, draw.random()) for n in free} for _ in range(4)]


def all_fit(shapes, small):
    for kind in ("inputs", "parameters", "tensors", "outputs", "gradients"):
        for i, slot in enumerate(getattr(small, kind)):
            for d in range(len(slot.shape)):
                if shapes.of(lambda p: getattr(p, kind)[i].shape[d]) is None:
                    return False
            for k, (_, number) in enumerate(slot.draw[2] if slot.draw else []):
                if isinstance(number, int) and \
                        shapes.of(lambda p: getattr(p, kind)[i].draw[2][k][1]) is None:
                    return False
            numbers = slot.draw[1] if slot.draw else []
            for k in range(len(numbers)):
                if isinstance(numbers[k], int) and \
                        shapes.of(lambda p: getattr(p, kind)[i].draw[1][k]) is None:
                    return False
    return True
