# SPDX-License-Identifier: Apache-2.0
"""What watches or changes the calls of a module."""
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

NARROW = (torch.float32, torch.float16, torch.bfloat16)
NARROWING = {torch.Tensor.float, torch.Tensor.half, torch.Tensor.bfloat16}


def wide(value):
    return torch.float64 if value in NARROW else value


class Widen(TorchFunctionMode):
    """All that is asked for in a lower precision is computed in float64."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func in NARROWING:
            return args[0].double()
        if func is torch.Tensor.view:
            return func(*args, **kwargs)  # the same bits as another type
        if isinstance(kwargs.get("dtype"), torch.dtype):
            kwargs = dict(kwargs, dtype=wide(kwargs["dtype"]))
        if any(isinstance(a, torch.dtype) for a in args):
            args = tuple(wide(a) if isinstance(a, torch.dtype) else a for a in args)
        return func(*args, **kwargs)


class Place:
    """Where modules compute: the CPU, unless this process is for a GPU (ww_reference)."""
    gpu = False


def seeded(seed):
    """The generators that modules use here; torch.manual_seed looks for every kind of device."""
    torch.default_generator.manual_seed(seed)
    if Place.gpu:
        torch.cuda.manual_seed_all(seed)


def on_host(value):
    """The CPU for a GPU that is not here."""
    if isinstance(value, torch.device):
        return torch.device("cpu") if value.type == "cuda" else value
    if isinstance(value, str) and (value == "cuda" or value.startswith("cuda:")):
        return "cpu"
    return value


class Host(TorchFunctionMode):
    """Where there is no GPU, tensors that are asked for on one are made on the CPU."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func is torch.Tensor.cuda:
            return args[0]
        if "device" in kwargs:
            kwargs = dict(kwargs, device=on_host(kwargs["device"]))
        if func is torch.Tensor.to or any(isinstance(a, torch.device) for a in args):
            args = tuple(on_host(a) for a in args)
        return func(*args, **kwargs)


KEEPS = {"float", "double", "half", "bfloat16", "to", "reshape", "view", "contiguous", "clone",
         "requires_grad_", "detach", "unsqueeze", "squeeze", "flatten", "int", "long", "bool",
         "transpose", "permute", "t", "cuda", "cpu", "type"}


class Watch(TorchFunctionMode):
    """Remembers how the tensors of get_inputs() were drawn: id -> (tensor, source, numbers,
    modifiers)."""

    def __init__(self):
        super().__init__()
        self.drawn = {}

    def tag(self, tensor, source, numbers, modifiers=()):
        if isinstance(tensor, torch.Tensor):
            self.drawn[id(tensor)] = (tensor, source, list(numbers), list(modifiers))

    def of(self, tensor):
        found = self.drawn.get(id(tensor))
        return found if found is not None and found[0] is tensor else None

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        name = getattr(func, "__name__", "")
        if name in ("rand", "rand_like"):
            self.tag(result, "uniform", [0, 1])
        elif name in ("randn", "randn_like"):
            self.tag(result, "normal", [0, 1])
        elif name == "randint":
            numbers = [a for a in args if isinstance(a, int)]
            low = kwargs.get("low", numbers[0] if len(numbers) > 1 else 0)
            high = kwargs.get("high", numbers[-1] if numbers else 2)
            self.tag(result, "ints", [low, high - 1])
        elif name == "arange" and len(args) == 1:
            self.tag(result, "index", [])
        elif name == "randperm":
            self.tag(result, "permutation", [])
        elif args and isinstance(args[0], torch.Tensor) and self.of(args[0]) is not None:
            self.follow(name, args, result)
        elif len(args) > 1 and isinstance(args[1], torch.Tensor) and self.of(args[1]) is not None:
            if name in ("mul", "__rmul__", "add", "__radd__"):
                self.follow(name, (args[1], args[0]) + tuple(args[2:]), result)
        return result

    def follow(self, name, args, result):
        _, source, numbers, modifiers = self.of(args[0])
        other = args[1] if len(args) > 1 else None
        is_number = isinstance(other, (int, float)) and not isinstance(other, bool)
        plain = name.strip("_")
        if name in KEEPS:
            if name == "bool" and source != "ints":
                return
            self.tag(result, source, numbers, modifiers)
        elif plain == "normal" and len(args) > 2:
            self.tag(result, "normal", args[1:3])
        elif plain == "uniform" and len(args) > 2:
            self.tag(result, "uniform", args[1:3])
        elif plain == "pow" and is_number and other > 0 and source == "uniform" and \
                numbers == [0, 1] and not modifiers:
            self.tag(result, "skewed", [0, 1, other])
        elif not is_number:
            return
        elif plain in ("mul", "rmul", "imul"):
            self.tag(result, source, numbers, modifiers + [("scale", other)])
        elif plain in ("div", "truediv", "true_divide", "idiv", "itruediv") and other != 0:
            self.tag(result, source, numbers, modifiers + [("scale", 1.0 / float(other))])
        elif plain in ("floordiv", "floor_divide") and other > 0:
            self.tag(result, source, numbers, modifiers + [("div", other)])
        elif plain in ("add", "radd", "iadd"):
            self.tag(result, source, numbers, modifiers + [("offset", other)])
        elif plain in ("sub", "isub"):
            self.tag(result, source, numbers, modifiers + [("offset", -float(other))])
        elif plain in ("rsub",):
            self.tag(result, source, numbers,
                     modifiers + [("scale", -1.0), ("offset", float(other))])


class ShapesOnly(TorchFunctionMode):
    """Shapes of operations that older versions of torch would compute to learn them."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if getattr(func, "__name__", "") in ("max_pool3d", "_max_pool3d", "boolean_dispatch") and args \
                and isinstance(args[0], torch.Tensor) and args[0].dim() in (4, 5) \
                and not kwargs.get("return_indices"):
            return self.pooled(*args, **kwargs)
        return func(*args, **kwargs)

    @staticmethod
    def pooled(x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False,
               return_indices=False):
        def three(v):
            return (v,) * 3 if isinstance(v, int) else tuple(v)
        k, p, d = three(kernel_size), three(padding), three(dilation)
        s = three(stride) if stride else k
        shape = []
        for n, ki, si, pi, di in zip(x.shape[-3:], k, s, p, d):
            span = n + 2 * pi - di * (ki - 1) - 1
            out = -(-span // si) + 1 if ceil_mode else span // si + 1
            if ceil_mode and (out - 1) * si >= n + pi:
                out -= 1
            if out < 1:
                raise RuntimeError(f"max_pool3d: the output would have size {out}")
            shape.append(out)
        # The result follows from x, also for gradients.
        flat = x.reshape(tuple(x.shape[:-3]) + (-1,)).amax(-1)
        return flat.reshape(tuple(flat.shape) + (1, 1, 1)).expand(tuple(flat.shape) + tuple(shape)) * 1


def _size(value):
    return value.numel() if isinstance(value, torch.Tensor) else 0


RANDOM = ("bernoulli", "dropout", "rand", "normal", "multinomial", "uniform", "exponential",
          "poisson", "rrelu")


CONTENTS = ("_local_scalar_dense", "equal", "is_nonzero")  # a number for Python


def convolution_flops(name, args, result, transposed):
    """Of the direct algorithm. A transposed convolution multiplies each input with each weight that meets it; a
    stride makes more outputs, not more products. Each gradient takes as much as the forward."""
    if name == "convolution_backward":
        outer, inner, weight = args[0], args[1], args[2]
        times = sum(isinstance(made, torch.Tensor) for made in result[:2])
    else:
        outer, inner, weight = result, args[0], args[1]
        times = 1
    spread = inner if transposed else outer
    return 2.0 * times * spread.numel() * weight.numel() / max(1, weight.shape[0])


class Count(TorchDispatchMode):
    """Arithmetic of a call: operations, and the longest chain of terms that are added up. And whether
    the module asks what a tensor holds: some versions of torch answer 0 where it holds nothing."""

    def __init__(self):
        super().__init__()
        self.flops = 0.0
        self.sums = []  # (operation, terms that it adds up), in order
        self.asked = False

    @property
    def terms(self):
        return max([1.0] + [float(terms) for _, terms in self.sums])

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func.__name__.split(".")[0]
        self.asked = self.asked or name in CONTENTS
        result = func(*args, **(kwargs or {}))
        try:
            self.count(name, args, result)
        except (AttributeError, IndexError, TypeError, ValueError):
            pass
        return result

    def count(self, name, args, result):
        outputs = []
        tree_map(lambda t: outputs.append(t) if isinstance(t, torch.Tensor) else None, result)
        made = sum(_size(t) for t in outputs)
        if name in ("mm", "bmm"):
            terms = args[0].shape[-1]
        elif name in ("addmm", "baddbmm"):
            terms = args[1].shape[-1]
        elif name in ("convolution", "convolution_backward", "_convolution"):
            weight = args[2] if name == "convolution_backward" else args[1]
            transposed = bool(args[7] if name == "convolution_backward" else args[6])
            terms = weight.numel() / max(1, weight.shape[0])
            self.flops += convolution_flops(name, args, result, transposed)
            if transposed:
                terms = terms * weight.shape[0] / max(1, weight.shape[1])
            self.sums.append((name, terms))
            return
        else:
            read = max([_size(a) for a in args] or [0])
            self.flops += max(made, read)
            if read > made > 0 and len(outputs) == 1 and name not in ("embedding", "slice", "select",
                                                                     "index", "gather", "expand"):
                self.sums.append((name, read / made))
            if "softmax" in name or "norm" in name:
                small = min([_size(t) for t in outputs] or [1])
                self.sums += [(name, n) for n in [*args[0].shape, made / max(1, small)]]
            return
        self.flops += 2.0 * made * terms
        self.sums.append((name, terms))
