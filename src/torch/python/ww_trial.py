# SPDX-License-Identifier: Apache-2.0
"""A module computed at its small point, on drawn values: what it is, and how accurate floats are."""
import math

import torch

from ww_call import Call
from ww_modes import seeded
from ww_source import Refusal

EPS = {"f32": 2.0 ** -24, "f16": 2.0 ** -11, "bf16": 2.0 ** -8, "f64": 2.0 ** -53}


class Draw:
    """How a buffer is filled: a source, its numbers, modifiers. Numbers may be texts over the
    values of a size; `here` are their values at the small point."""

    def __init__(self, source, numbers=(), modifiers=(), here=None, modifiers_here=None):
        self.source, self.numbers = source, list(numbers)
        self.modifiers = list(modifiers)
        self.here = list(numbers) if here is None else here
        self.modifiers_here = list(modifiers) if modifiers_here is None else modifiers_here

    def text(self):
        def number(v):
            if isinstance(v, str):
                return v
            return str(int(v)) if float(v).is_integer() and abs(v) < 1e15 else f"{v:.9g}"
        parts = [f"{self.source}({', '.join(number(n) for n in self.numbers)})"]
        for name, value in self.modifiers:
            factor = self.factor_text if name == "fan" else number(value)
            parts.append(f"scale({factor})" if name == "fan" else f"{name}({factor})")
        return " | ".join(parts)

    def sample(self, shape, dtype):
        n = math.prod(shape)
        if self.source == "uniform":
            low, high = self.here
            t = torch.rand(n, dtype=torch.float64) * (high - low) + low
        elif self.source == "skewed":
            low, high, power = self.here
            t = torch.rand(n, dtype=torch.float64) ** power * (high - low) + low
        elif self.source == "normal":
            t = torch.randn(n, dtype=torch.float64) * self.here[1] + self.here[0]
        elif self.source == "ints":
            low, high = int(self.here[0]), int(self.here[1])
            t = torch.randint(low, max(high, low) + 1, (n,)).double()
        elif self.source == "permutation":
            t = torch.randperm(n).double()
        else:
            t = torch.arange(n).double()
        for name, value in self.modifiers_here:
            t = t + value if name == "offset" else torch.floor(t / value) if name == "div" else t * value
        t = t.to(dtype) if dtype != torch.bool else t != 0
        return t.reshape(shape)


def run(source, values, mode, backward, data, double, seed=0):
    """{slot: tensor} of the outputs, or of the gradients."""
    try:
        call = Call(source, values, double, mode, fake_inputs=True, replaced_soon=True)
    except Refusal:
        raise
    except Exception:
        call = Call(source, values, double, mode)

    def typed(tensor):
        return tensor.to(torch.float64, copy=True) if double and tensor.is_floating_point() else tensor.clone()

    call.set_inputs({s[6:]: typed(t) for s, t in data.items() if s.startswith("input ")})
    for slot, tensor in data.items():
        kind, _, name = slot.partition(" ")
        if kind in ("parameter", "buffer"):
            call.put(name, typed(tensor))
    seeded(seed)
    if backward:
        ends = {s.partition(" ")[2]: typed(t) for s, t in data.items() if s.startswith("grad_output")}
        return {s: t for s, t in call.gradients(ends).items() if t is not None}
    with torch.no_grad():
        made = {f"output {p}".strip(): t for p, t in call.forward()}
        made.update({f"changed {p}": t for p, t in call.inputs() if isinstance(t, torch.Tensor)})
    return made


def differs(a, b):
    """Whether any output differs by more than rounding."""
    for slot, x in a.items():
        y = b.get(slot)
        if y is None or slot.startswith("changed "):
            continue
        if x.shape != y.shape:
            return True
        x, y = x.double(), y.double()
        both = torch.isfinite(x) & torch.isfinite(y)
        if (torch.isfinite(x) != torch.isfinite(y)).any():
            return True
        if not both.any():
            continue
        scale = float(x[both].abs().max())
        if float((x[both] - y[both]).abs().max()) > 1e-9 * scale:
            return True
    return False


def error_of(exact, rounded):
    """The largest error of floats in units of |value| + RMS; None where nothing can be compared."""
    worst = None
    for slot, x in exact.items():
        y = rounded.get(slot)
        if slot.startswith("changed ") or y is None or not x.is_floating_point():
            continue
        x, y = x.double(), y.double()
        good = torch.isfinite(x) & torch.isfinite(y)
        if not good.any():
            continue
        rms = float(x[good].pow(2).mean().sqrt())
        scale = x[good].abs() + rms
        if rms > 0:
            worst = max(worst or 0.0, float(((x[good] - y[good]).abs() / scale).max()))
    return worst


def finite_share(made):
    total = sum(t.numel() for s, t in made.items() if not s.startswith("changed "))
    good = sum(int(torch.isfinite(t.double()).sum()) for s, t in made.items()
               if not s.startswith("changed "))
    return good / max(1, total)
