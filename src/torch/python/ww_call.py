# SPDX-License-Identifier: Apache-2.0
"""One call of a module: its slots (inputs, parameters, buffers, outputs, gradients) by name."""
import contextlib

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

import ww_compat  # noqa: F401
import ww_source
from ww_modes import Host, Place, Widen, seeded
from ww_source import Refusal

LARGE = 1 << 27  # elements: a copy in float64 is a gibibyte


class Alias(torch.autograd.Function):
    """The same memory as a tensor that is no leaf: what gets it may write into it."""

    @staticmethod
    def forward(ctx, tensor):
        return tensor.data

    @staticmethod
    def backward(ctx, gradient):
        return gradient


def own_copy(leaf):
    """For a forward that may write into what it gets. Large ones are used up, they are made anew for every call."""
    return Alias.apply(leaf) if type(leaf) is torch.Tensor and leaf.numel() >= LARGE else leaf.clone()


def edges_of(tensors):
    """What autograd begins with: large outputs themselves need not stay in memory."""
    edge_of = getattr(torch.autograd.graph, "get_gradient_edge", None)
    if edge_of is None or max(t.numel() for t in tensors) < LARGE:
        return tensors
    return [edge_of(t) for t in tensors]


def flatten(value, prefix=""):
    """[(path, leaf)] of nested lists and dictionaries; '' is the path of a lone value."""
    if hasattr(value, "_asdict"):
        value = tuple(value)
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, (list, tuple)):
        items = enumerate(value)
    else:
        return [(prefix, value)]
    leaves = []
    for key, item in items:
        leaves += flatten(item, f"{prefix}.{key}" if prefix else str(key))
    return leaves


def replaced(value, leaves, prefix=""):
    """The same nesting with other leaves."""
    if isinstance(value, dict):
        return {k: replaced(v, leaves, f"{prefix}.{k}" if prefix else str(k))
                for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        items = [replaced(v, leaves, f"{prefix}.{i}" if prefix else str(i))
                 for i, v in enumerate(value)]
        if hasattr(value, "_asdict"):
            return type(value)(*items)
        return items if isinstance(value, list) else tuple(items)
    return leaves.get(prefix, value)


@contextlib.contextmanager
def precision(double):
    """Everything in float64, or as the module says."""
    before = torch.get_default_dtype()
    try:
        with contextlib.ExitStack() as stack:
            # What a module makes without naming a device lies beside its inputs.
            stack.enter_context(torch.device("cuda") if Place.gpu else Host())
            if double:
                torch.set_default_dtype(torch.float64)
                stack.enter_context(Widen())
            yield
    finally:
        torch.set_default_dtype(before)


DRAWN = ("uniform_", "normal_", "trunc_normal_", "xavier_uniform_", "xavier_normal_",
         "kaiming_uniform_", "kaiming_normal_", "orthogonal_", "sparse_")


@contextlib.contextmanager
def undrawn(skip):
    """Parameters are not initialised at random: they are replaced right away."""
    before = {name: getattr(torch.nn.init, name) for name in DRAWN}
    try:
        if skip:
            for name in DRAWN:
                setattr(torch.nn.init, name, lambda tensor, *args, **kwargs: tensor)
        yield
    finally:
        for name, function in before.items():
            setattr(torch.nn.init, name, function)


class Call:
    """A module made with these values of its constants, and what it is called with."""

    def __init__(self, source, values, double, mode="train", seed=0, fake_inputs=False, watch=None,
                 replaced_soon=False):
        self.source, self.double = source, double
        with precision(double):
            seeded(seed)
            names = source.load(values)
            self.output_types = names.get("output_dtypes")
            self.declared = names.get("_declared")  # () -> [(shape, dtype)] of the outputs
            with undrawn(replaced_soon):
                self.module = ww_source.make_module(names, source.path)
            if double:
                self.module.double()
            self.module.train(mode != "eval")
            seeded(seed + 1)
            with contextlib.ExitStack() as stack:
                if fake_inputs:
                    stack.enter_context(FakeTensorMode())
                if watch is not None:
                    stack.enter_context(watch)
                self.positional, self.named = ww_source.make_inputs(names, source.path)
        self.check_signature()

    def check_signature(self):
        try:
            self.module.signature.bind(*self.positional, **self.named)
        except TypeError as error:
            raise Refusal(f"{self.source.path}:{self.module.line}: forward does not take what "
                          f"get_inputs() gives: {error}") from None

    def input_names(self):
        """path -> name, from the parameters of forward."""
        names = {}
        bound = self.module.signature.bind(*self.positional, **self.named)
        by_value = {id(v): k for k, v in bound.arguments.items()}
        for i, value in enumerate(self.positional):
            names[str(i)] = by_value.get(id(value), f"input{i}")
        parameters = list(self.module.signature.parameters.values())
        for i, parameter in enumerate(parameters[:len(self.positional)]):
            if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
                names[str(i)] = parameter.name
        for key in self.named:
            names[str(key)] = str(key)
        return names

    def inputs(self):
        return flatten(self.positional) + flatten(self.named)

    def set_inputs(self, leaves):
        self.positional = replaced(self.positional, leaves)
        self.named = replaced(self.named, leaves)

    def parameters(self):
        return list(self.module.named_parameters())

    def tensors(self):
        """Buffers, and tensors that are plain attributes: [(name, tensor)]."""
        found = [(n, t) for n, t in self.module.named_buffers() if isinstance(t, torch.Tensor)]
        for prefix, part in self.module.named_modules():
            for name, value in vars(part).items():
                if isinstance(value, torch.Tensor):
                    found.append((f"{prefix}.{name}" if prefix else name, value))
        return found

    def put(self, name, tensor):
        """Replaces a parameter, a buffer or an attribute."""
        *path, last = name.split(".")
        owner = self.module
        for step in path:
            owner = getattr(owner, step)
        old = getattr(owner, last)
        if isinstance(old, torch.nn.Parameter):
            old.data = tensor.reshape(old.shape)
        else:
            setattr(owner, last, tensor.reshape(old.shape))

    def forward(self):
        """[(path, tensor)] of the outputs."""
        with precision(self.double):
            result = self.module(*self.positional, **self.named)
        return [(p, t) for p, t in flatten(result) if isinstance(t, torch.Tensor)]

    def gradients(self, gradient_of):
        """Runs forward and autograd. gradient_of: output path -> tensor of its gradient.
        Returns {slot: tensor or None}."""
        wanted = {}
        leaves = {}
        for path, leaf in self.inputs():
            if isinstance(leaf, torch.Tensor) and leaf.is_floating_point():
                own = leaf.detach().requires_grad_(True)
                wanted[f"grad_input {path}"] = own
                leaves[path] = own_copy(own)
        self.set_inputs(leaves)
        for name, parameter in self.parameters():
            if parameter.requires_grad and parameter.is_floating_point():
                wanted[f"grad_parameter {name}"] = parameter
        ends = [(p, t) for p, t in self.forward() if t.requires_grad and p in gradient_of]
        if not ends:
            raise Refusal(f"{self.source.path}:{self.module.line}: no output has a gradient")
        given = [gradient_of[p].reshape(t.shape) for p, t in ends]
        starts = edges_of([t for _, t in ends])
        ends.clear()
        with precision(self.double):
            found = torch.autograd.grad(starts, list(wanted.values()), given, allow_unused=True)
        return dict(zip(wanted, found))
