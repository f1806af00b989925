# SPDX-License-Identifier: Apache-2.0
"""What a module has at one point: shapes, types, costs. Without computing anything where torch can
follow shapes alone."""
import contextlib
import math

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from ww_call import Call
from ww_modes import Count, ShapesOnly, Watch
from ww_source import Refusal

TYPE_NAMES = {torch.float32: "f32", torch.float64: "f64", torch.float16: "f16",
              torch.bfloat16: "bf16", torch.int32: "i32", torch.int64: "i64", torch.uint8: "u8",
              torch.int8: "i8", torch.bool: "u8"}


class Slot:
    """One tensor of a call."""

    def __init__(self, name, tensor, path):
        if tensor.dtype not in TYPE_NAMES:
            raise Refusal(f"{path}: {name} has the type {str(tensor.dtype)[6:]}, which tasks do not have")
        if tensor.layout != torch.strided:
            raise Refusal(f"{path}: {name} is sparse; tasks have dense tensors only")
        self.name = name
        self.shape = tuple(int(n) for n in tensor.shape)
        self.dtype = tensor.dtype
        self.type = TYPE_NAMES[tensor.dtype]
        self.contiguous = tensor.is_contiguous()
        self.draw = None  # (source, numbers, modifiers)


class Probe:
    declared = False  # outputs have the shapes that the file says; it was not followed to its end
    unfollowed = False  # nor where tensors would have to hold something


def probe(source, values, mode, backward, fake):
    """A Probe at these values of the constants; raises what the module raises."""
    found = Probe()
    found.values = dict(values)
    watch, count = Watch(), Count()
    with contextlib.ExitStack() as stack:
        if fake:
            stack.enter_context(FakeTensorMode())
            stack.enter_context(ShapesOnly())
        call = Call(source, values, False, mode, watch=watch)
        where = f"{source.path}:{call.module.line}"
        found.line = call.module.line
        found.input_names = call.input_names()
        found.inputs, found.scalars, found.absent = [], [], []
        for path, leaf in call.inputs():
            if isinstance(leaf, torch.Tensor):
                slot = Slot(f"input {path}", leaf, where)
                drawn = watch.of(leaf)
                slot.draw = drawn[1:] if drawn is not None else None
                found.inputs.append(slot)
            elif isinstance(leaf, (bool, int, float)):
                found.scalars.append((path, leaf))
            elif leaf is None:
                found.absent.append(found.input_names.get(path.partition(".")[0], path))
        found.parameters = [Slot(f"parameter {n}", t, where) for n, t in call.parameters()]
        found.tensors = [Slot(f"buffer {n}", t, where) for n, t in call.tensors()]
        ids = {id(t): n for n, t in call.tensors()}
        found.kept = {n for n in ids.values()}
        with count:
            if backward:
                results, grads = run_backward(call)
            else:
                with torch.no_grad():
                    results, grads = forward_or_declared(call, source, values, mode, fake, found), {}
        found.outputs = [Slot(f"output {p}".strip(), t, where) for p, t in results]
        for slot, dtype in zip(found.outputs, call.output_types or []):
            slot.dtype, slot.type = dtype, TYPE_NAMES[dtype]
        found.differentiable = [p for p, t in results if t.requires_grad]
        found.gradients = [Slot(n, t, where) for n, t in grads.items() if t is not None]
        found.flops, found.terms, found.sums = count.flops, count.terms, count.sums
        # A course that what tensors hold decides is not followed where they hold nothing.
        if found.declared or fake and count.asked:
            found.unfollowed = True
            sizes = [s.shape for s in found.inputs + found.outputs]
            found.flops = max([count.flops] + [float(math.prod(s)) for s in sizes])
            found.terms = max([count.terms] + [float(d) for s in sizes for d in s])
            found.sums = []
    if not found.outputs:
        raise Refusal(f"{where}: forward returns no tensor")
    return found


def forward_or_declared(call, source, values, mode, fake, found):
    """Where shapes alone cannot be followed, as the file declares its outputs."""
    try:
        return forward(call, source, values, mode, fake)
    except Exception:
        if not fake or call.declared is None:
            raise
    found.declared = True
    made = [torch.empty(shape, dtype=dtype) for shape, dtype in call.declared()]
    return [("" if len(made) == 1 else str(i), t) for i, t in enumerate(made)]


def forward(call, source, values, mode, fake):
    """Outputs; in float64 where a CPU lacks the module's own precision."""
    try:
        return call.forward()
    except RuntimeError as error:
        if fake or "not implemented for" not in str(error):
            raise
    wide = Call(source, values, True, mode)
    wide.set_inputs({p: t.double() for p, t in wide.inputs()
                     if isinstance(t, torch.Tensor) and t.is_floating_point()})
    return wide.forward()


def run_backward(call):
    """Gradients of ones: for shapes."""
    wanted = {}
    leaves = {}
    for path, leaf in call.inputs():
        if isinstance(leaf, torch.Tensor) and leaf.is_floating_point():
            own = leaf.detach().requires_grad_(True)
            wanted[f"grad_input {path}"] = own
            leaves[path] = own.clone()
    call.set_inputs(leaves)
    for name, parameter in call.parameters():
        if parameter.requires_grad and parameter.is_floating_point():
            wanted[f"grad_parameter {name}"] = parameter
    results = call.forward()
    ends = [t for _, t in results if t.requires_grad]
    if not ends:
        raise Refusal(f"{call.source.path}:{call.module.line}: no output has a gradient, so there is "
                      "no backward")
    grads = torch.autograd.grad(ends, list(wanted.values()), [torch.ones_like(t) for t in ends],
                                allow_unused=True)
    return results, dict(zip(wanted, grads))


def slots_of(found):
    """All tensors of a point, in order."""
    return found.inputs + found.parameters + found.tensors + found.outputs + found.gradients


def shapes_of(found):
    """All shapes and drawn numbers, in order."""
    return ([s.shape for s in slots_of(found)]
            + [tuple(s.draw[1]) for s in found.inputs if s.draw])


def is_empty(found):
    """Whether some tensor of the point has no elements."""
    return any(0 in s.shape for s in slots_of(found))


def same_structure(a, b):
    """Whether two points have the same slots with as many dimensions."""
    def names(p):
        return [(s.name, len(s.shape), s.type) for s in slots_of(p)]
    return names(a) == names(b)
