// SPDX-License-Identifier: Apache-2.0
// The Python texts of exported files. @WORDS@ between two marks are filled in (torch_package.cpp).
#pragma once

namespace warpwright::exchange {

/// Beginning of __init__.py of a module's operator.
inline constexpr const char* kPackageTitle =
    R"("""@TITLE@: torch.ops.@SPACE@.@NAME@, made by Warpwright.

    import @NAME@
    fast = @NAME@.Fast(module)    # the module with this kernel as its forward
"""
)";

/// Behind it: helpers of the shape functions.
inline constexpr const char* kPackageHead = R"(import math  # noqa: F401
import os

import torch

_HERE = os.path.dirname(os.path.abspath(__file__))
_LIBRARY = torch.library.Library("@SPACE@", "DEF")


def _size(tensor, dimension, name):
    if tensor.dim() <= dimension:
        raise ValueError(f"{name} has {tensor.dim()} dimensions")
    return tensor.shape[dimension]


def _whole(value):
    return int(value) if isinstance(value, float) else value


def _check(tensor, name, dtype, shape):
    if tensor.dtype != dtype:
        raise ValueError(f"{name} must be of the type {dtype}, it is of {tensor.dtype}")
    if tuple(tensor.shape) != tuple(shape):
        raise ValueError(f"{name} must have the shape {tuple(shape)}, it has {tuple(tensor.shape)}")


def ww_and(a, b):
    return int(bool(a) and bool(b))


def ww_or(a, b):
    return int(bool(a) or bool(b))


def _empty(like, made):
    results = tuple(like.new_empty(shape, dtype=dtype) for shape, dtype in made)
    return results[0] if len(results) == 1 else results


)";

/// The build at the first import.
inline constexpr const char* kPackageLoad = R"(
def _load():
    """Builds the operator at the first import on a machine with CUDA; later imports find it."""
    from torch.utils.cpp_extension import load

    wrapped = [@WRAPPED@]
    load(name="@SPACE@_kernels", is_python_module=False, verbose=False,
         sources=[os.path.join(_HERE, f) for f in (@SOURCES@)],
         extra_cuda_cflags=[@CUDA_FLAGS@], extra_ldflags=[f"-Wl,--wrap={name}" for name in wrapped])


if torch.cuda.is_available():
    _load()

# The one overload: nothing is left to be chosen at a call.
_OPERATOR = torch.ops.@SPACE@.@NAME@.default
)";

/// The end of a module's package: the module that calls the operator.
inline constexpr const char* kPackageFast = R"(

def _leaves(value):
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, (list, tuple)):
        return [value]
    return [leaf for item in value for leaf in _leaves(item)]


class Fast(torch.nn.Module):
    """A module whose forward is the operator, with the parameters of the module that is given."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, *args, **kwargs):
        return _OPERATOR(*arguments(self.module, args, kwargs))
)";

/// autograd.cpp: gradients by an operator of their own. In C++, because Python between two
/// operators costs more than both: 18 us of a call's 47, also where no gradient is asked for.
inline constexpr const char* kAutograd = R"(// Made by Warpwright: gradients of the operator.
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <cstddef>
#include <tuple>
#include <utility>

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

const auto& forward_operator() {
  static const auto found = c10::Dispatcher::singleton()
                                .findSchemaOrThrow("@SPACE@::@NAME@", "")
                                .typed<@FORWARD_RESULT@(@FORWARD_TYPES@)>();
  return found;
}

const auto& backward_operator() {
  static const auto found = c10::Dispatcher::singleton()
                                .findSchemaOrThrow("@SPACE@::@NAME@_backward", "")
                                .typed<@BACKWARD_RESULT@(@BACKWARD_TYPES@)>();
  return found;
}

inline variable_list listed(const at::Tensor& one) { return {one}; }
template <class Several, std::size_t... I>
variable_list listed(const Several& several, std::index_sequence<I...>) {
  return {std::get<I>(several)...};
}
template <class... Tensors>
variable_list listed(const std::tuple<Tensors...>& several) {
  return listed(several, std::index_sequence_for<Tensors...>());
}

struct SecondGradient : torch::autograd::Function<SecondGradient> {
  static variable_list forward(AutogradContext*, @BACKWARD_PARAMETERS@) {
    const at::AutoDispatchBelowADInplaceOrView below;
    return listed(backward_operator().call(@BACKWARD_NAMES@));
  }
  static variable_list backward(AutogradContext*, variable_list) {
    TORCH_CHECK(false, "@NAME@ has a first derivative alone: its gradients cannot be differentiated");
  }
};

struct Gradient : torch::autograd::Function<Gradient> {
  static variable_list forward(AutogradContext* context, @FORWARD_PARAMETERS@) {
    context->save_for_backward({@SAVED@});
    const at::AutoDispatchBelowADInplaceOrView below;
    return listed(forward_operator().call(@FORWARD_NAMES@));
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const variable_list made = listed(backward_operator().call(@TAKEN@));
    return {@RETURNED@};
  }
};

@FORWARD_RESULT@ forward_with_gradient(@FORWARD_PARAMETERS@) {
  if (!c10::GradMode::is_enabled() || !(@FORWARD_REQUIRED@)) {
    const at::AutoDispatchBelowADInplaceOrView below;
    return forward_operator().call(@FORWARD_NAMES@);
  }
  const variable_list made = Gradient::apply(@FORWARD_NAMES@);
  return {@FORWARD_MADE@};
}

@BACKWARD_RESULT@ backward_with_gradient(@BACKWARD_PARAMETERS@) {
  if (!c10::GradMode::is_enabled() || !(@BACKWARD_REQUIRED@)) {
    const at::AutoDispatchBelowADInplaceOrView below;
    return backward_operator().call(@BACKWARD_NAMES@);
  }
  const variable_list made = SecondGradient::apply(@BACKWARD_NAMES@);
  return {@BACKWARD_MADE@};
}

}  // namespace

TORCH_LIBRARY_IMPL(@SPACE@, Autograd, m) {
  m.impl("@NAME@", &forward_with_gradient);
  m.impl("@NAME@_backward", &backward_with_gradient);
}
)";

/// test_NAME.py: against the module in float64.
inline constexpr const char* kPackageTest =
    R"("""The operator against the module: values, shapes, torch.compile, a stream of its own.

    python test_@NAME@.py
"""
import contextlib
import os
import sys

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import @NAME@  # noqa: E402

names = {"__name__": "reference"}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "@NAME@", "reference.py")) as file:
    exec(compile(file.read(), "reference.py", "exec"), names)


def leaves(value):
    return [v for v in @NAME@._leaves(value) if isinstance(v, torch.Tensor)]


def made():
    """The module and what it is called with."""
    torch.manual_seed(1)
    init = names["get_init_inputs"]() if "get_init_inputs" in names else []
    own = {k: v for k, v in names.items() if getattr(v, "__module__", "") == "reference"}
    kinds = [v for v in own.values() if isinstance(v, type) and issubclass(v, torch.nn.Module)]
    examples = ("get_inputs", "example_inputs", "inputs", "EXAMPLE_INPUTS", "INPUTS")
    functions = [own[n] for n in ("forward", "forward_fn", "fn", "f", "run", "reference", "reference_fn", "module_fn")
                 if n in own]
    if "Model" in names or kinds and ("get_init_inputs" in names or not functions):
        kind = names.get("Model") or kinds[-1]
        module = kind(**init) if isinstance(init, dict) else kind(*init)
    else:
        functions += [v for k, v in reversed(own.items())
                      if not isinstance(v, type) and k not in examples and not k.startswith("_")]

        class Function(torch.nn.Module):
            def forward(self, *args, **kwargs):
                return functions[0](*args, **kwargs)
        module = Function()
    given = next(names[n] for n in examples if n in names)
    given = given() if callable(given) else given
    return module.@MODE@(), [given] if isinstance(given, torch.Tensor) else given


def called(function, given):
    """Inputs are a list, or a dictionary of names."""
    return function(**given) if isinstance(given, dict) else function(*given)


def taken(module, given):
    """What the operator takes of them."""
    named = isinstance(given, dict)
    return @NAME@.arguments(module, () if named else tuple(given), given if named else {})


def moved(value, device, dtype=None):
    if isinstance(value, dict):
        return {k: moved(v, device, dtype) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(moved(v, device, dtype) for v in value)
    if not isinstance(value, torch.Tensor):
        return value
    return value.to(device, dtype) if dtype and value.is_floating_point() else value.to(device)


def fresh(value):
    """Copies for an operator that works in place, which changes what it is given."""
    if "!" not in str(torch.ops.@SPACE@.@NAME@.default._schema):
        return value
    if isinstance(value, dict):
        return {k: fresh(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(fresh(v) for v in value)
    return value.clone() if isinstance(value, torch.Tensor) else value


def shapes_hold():
    """Without a GPU: the operator's shapes are those of the module."""
    module, given = made()
    given = moved(given, "meta")
    fast = @NAME@.Fast(module.to("meta"))
    below = torch._C._AutoDispatchBelowAutograd()
    with below if hasattr(below, "__enter__") else contextlib.nullcontext():  # older versions of torch have no gradients of operators on this device
        found = called(fast, given)
    expected = leaves(called(module, given))
    assert [tuple(t.shape) for t in leaves(found)] == [tuple(t.shape) for t in expected]
    print("shapes ok")


def near(found, expected, what, piece=1 << 26):
    """In pieces: copies in float64 of all that is compared may not fit."""
    found, expected = found.reshape(-1), expected.reshape(-1)
    pairs = list(zip(found.split(piece), expected.split(piece)))
    count = max(1, expected.numel())
    rms = (sum(e.double().pow(2).sum().item() for _, e in pairs) / count) ** 0.5
    error = 0.0
    for a, b in pairs:
        b = b.double()
        off = (a.double() - b).abs_().div_(b.abs().add_(rms + 1e-30)).max().item() if b.numel() else 0.0
        assert off == off, f"{what}: not a number"
        error = max(error, off)
    assert error < @TOLERANCE@, f"{what}: off by {error}"
    print(f"{what} ok, largest error {error:.2g}")


def values_hold():
    module, given = made()
    module, given = module.cuda(), moved(given, "cuda")
    fast = @NAME@.Fast(module)
    results = leaves(called(fast, fresh(given)))
    wide = leaves(called(module.double(), moved(given, "cuda", torch.float64)))
    for i, (found, expected) in enumerate(zip(results, wide)):
        near(found, expected, f"output {i}")
    module.float()
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        again = leaves(called(fast, fresh(given)))
    side.synchronize()
    for i, (found, expected) in enumerate(zip(again, wide)):
        near(found, expected, f"output {i} on another stream")
    if hasattr(torch, "compile"):
        compiled = leaves(called(torch.compile(fast), fresh(given)))
        for i, (found, expected) in enumerate(zip(compiled, wide)):
            near(found, expected, f"output {i} under torch.compile")
    if hasattr(torch.library, "opcheck"):
        torch.library.opcheck(torch.ops.@SPACE@.@NAME@.default, tuple(taken(module, fresh(given))))
        print("opcheck ok")
@GRADIENT_TEST@

if torch.cuda.is_available():
    values_hold()
else:
    print("no CUDA device here: the kernel itself is not tested")
    shapes_hold()
)";

/// Of its gradients, where there are any.
inline constexpr const char* kGradientTest = R"(
    tensors = [t.detach().requires_grad_(True) if torch.is_floating_point(t) else t
               for t in taken(module, given)]
    out = torch.ops.@SPACE@.@NAME@(*tensors)
    out = out if isinstance(out, torch.Tensor) else out[0]
    weights = torch.randn_like(out)
    wanted = [t for t in tensors if t.requires_grad]
    found = torch.autograd.grad((out * weights).sum(), wanted, allow_unused=True)
    module.double()
    given64 = moved(given, "cuda", torch.float64)
    ours = taken(module, given64)
    leaf = {id(t): t for t in ours if t.is_floating_point()}
    for t in leaf.values():
        t.requires_grad_(True)
    result = called(module, given64)
    result = result if isinstance(result, torch.Tensor) else leaves(result)[0]
    expected = torch.autograd.grad((result * weights.double()).sum(), list(leaf.values()),
                                   allow_unused=True)
    for i, (a, b) in enumerate(zip(found, expected)):
        if a is not None and b is not None:
            near(a, b, f"gradient {i}")
    module.float()
    # Differences of calls, in single precision: at a small shape, where the kernel takes one.
    small = [torch.randn([min(5, n) for n in t.shape], device="cuda", dtype=t.dtype).requires_grad_(True)
             if t.is_floating_point() else t for t in tensors]
    try:
        torch.ops.@SPACE@.@NAME@(*small)
    except (ValueError, RuntimeError) as error:
        print(f"gradcheck left out, the kernel does not take small shapes: {str(error).splitlines()[0]}")
    else:
        assert torch.autograd.gradcheck(torch.ops.@SPACE@.@NAME@.default, small, eps=1e-2, atol=1e-2, rtol=1e-2,
                                        nondet_tol=1e-3)
        print("gradcheck ok")
)";

/// Kernel and binding inside one Python file.
inline constexpr const char* kInlineBody = R"(
# Before the kernel, whose macros the headers shall not meet.
_HEAD = r"""
@HEAD@
"""

_KERNEL = r"""
@KERNEL@
"""

_BINDING = r"""
@BINDING@
"""

_loaded = load_inline(
    name="warpwright_@NAME@", cpp_sources="@TYPE@ @NAME@_forward(@DECLARATION@);",
    cuda_sources=_HEAD + _KERNEL + _BINDING, functions=["@NAME@_forward"], extra_cuda_cflags=["-O3"],
    extra_ldflags=["-Wl,--wrap=" + name for name in @WRAPPED@])


@ARGUMENTS@
)";

}  // namespace warpwright::exchange
