// SPDX-License-Identifier: Apache-2.0
#include "exchange/torch_package.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "exchange/torch_binding.h"

namespace warpwright::exchange {

namespace {

constexpr const char* kPackageHead = R"("""@TITLE@: torch.ops.@SPACE@.@NAME@, made by Warpwright.

    import @NAME@
    fast = @NAME@.Fast(module)    # the module with this kernel as its forward
"""
import contextlib  # noqa: F401
import math  # noqa: F401
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

constexpr const char* kPackageLoad = R"(
def _load():
    """Builds the operator at the first import on a machine with CUDA; later imports find it."""
    from torch.utils.cpp_extension import load

    wrapped = [@WRAPPED@]
    load(name="@SPACE@_kernels", is_python_module=False, verbose=False,
         sources=[os.path.join(_HERE, f) for f in (@SOURCES@)],
         extra_cuda_cflags=["-O3"], extra_ldflags=[f"-Wl,--wrap={name}" for name in wrapped])


if torch.cuda.is_available():
    _load()


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
        return torch.ops.@SPACE@.@NAME@(*arguments(self.module, args, kwargs))
)";

constexpr const char* kAutograd = R"(
def _setup(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def _backward(ctx, *gradients):
    given = dict(zip(@FORWARD@, ctx.saved_tensors))
    gradients = [g.contiguous() for g in gradients]
    given.update(zip(@GRADIENTS@, [gradients[i] for i in @WHICH@]))
    made = torch.ops.@SPACE@.@NAME@_backward(*[given[s] for s in @TAKEN@])
    made = made if isinstance(made, (list, tuple)) else (made,)
    by_slot = dict(zip(@MADE@, made))
    return tuple(by_slot.get("grad_" + slot) for slot in @FORWARD@)


if hasattr(torch.library, "register_autograd"):
    torch.library.register_autograd("@SPACE@::@NAME@", _backward, setup_context=_setup)
else:
    class _Function(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *inputs):
            _setup(ctx, inputs, None)
            below = torch._C._AutoDispatchBelowAutograd()
            with below if hasattr(below, "__enter__") else contextlib.nullcontext():
                return torch.ops.@SPACE@.@NAME@(*inputs)

        backward = staticmethod(_backward)

    _LIBRARY.impl("@NAME@", _Function.apply, "Autograd")
)";

constexpr const char* kPackageTest =
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
    if "Model" in names:
        module = names["Model"](**init) if isinstance(init, dict) else names["Model"](*init)
    else:
        class Function(torch.nn.Module):
            def forward(self, *args):
                return names["forward"](*args)
        module = Function()
    given = names["get_inputs"]() if "get_inputs" in names else names["example_inputs"]
    given = list(given.values()) if isinstance(given, dict) else list(given)
    return module.@MODE@(), given


def moved(value, device, dtype=None):
    if isinstance(value, (list, tuple)):
        return type(value)(moved(v, device, dtype) for v in value)
    if not isinstance(value, torch.Tensor):
        return value
    return value.to(device, dtype) if dtype and value.is_floating_point() else value.to(device)


def shapes_hold():
    """Without a GPU: the operator's shapes are those of the module."""
    module, given = made()
    given = moved(given, "meta")
    fast = @NAME@.Fast(module.to("meta"))
    below = torch._C._AutoDispatchBelowAutograd()
    with below if hasattr(below, "__enter__") else contextlib.nullcontext():  # older versions of torch have no gradients of operators on this device
        found = fast(*given)
    expected = leaves(module(*given))
    assert [tuple(t.shape) for t in leaves(found)] == [tuple(t.shape) for t in expected]
    print("shapes ok")


def near(found, expected, what):
    found, expected = found.double(), expected.double()
    scale = expected.abs() + expected.pow(2).mean().sqrt()
    error = ((found - expected).abs() / (scale + 1e-30)).max().item()
    assert error < @TOLERANCE@, f"{what}: off by {error}"
    print(f"{what} ok, largest error {error:.2g}")


def values_hold():
    module, given = made()
    module, given = module.cuda(), moved(given, "cuda")
    fast = @NAME@.Fast(module)
    results = leaves(fast(*given))
    wide = leaves(module.double()(*moved(given, "cuda", torch.float64)))
    for i, (found, expected) in enumerate(zip(results, wide)):
        near(found, expected, f"output {i}")
    module.float()
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        again = leaves(fast(*given))
    side.synchronize()
    for i, (found, expected) in enumerate(zip(again, wide)):
        near(found, expected, f"output {i} on another stream")
    if hasattr(torch, "compile"):
        compiled = leaves(torch.compile(fast)(*given))
        for i, (found, expected) in enumerate(zip(compiled, wide)):
            near(found, expected, f"output {i} under torch.compile")
    if hasattr(torch.library, "opcheck"):
        torch.library.opcheck(torch.ops.@SPACE@.@NAME@.default,
                              tuple(@NAME@.arguments(module, tuple(given), {})))
        print("opcheck ok")
@GRADIENT_TEST@

if torch.cuda.is_available():
    values_hold()
else:
    print("no CUDA device here: the kernel itself is not tested")
    shapes_hold()
)";

constexpr const char* kGradientTest = R"(
    tensors = [t.detach().requires_grad_(True) if torch.is_floating_point(t) else t
               for t in @NAME@.arguments(module, tuple(given), {})]
    out = torch.ops.@SPACE@.@NAME@(*tensors)
    out = out if isinstance(out, torch.Tensor) else out[0]
    weights = torch.randn_like(out)
    wanted = [t for t in tensors if t.requires_grad]
    found = torch.autograd.grad((out * weights).sum(), wanted, allow_unused=True)
    module.double()
    ours = @NAME@.arguments(module, tuple(moved(given, "cuda", torch.float64)), {})
    leaf = {id(t): t for t in ours if t.is_floating_point()}
    for t in leaf.values():
        t.requires_grad_(True)
    given64 = [t for t in ours[:len([g for g in given if isinstance(g, torch.Tensor)])]]
    result = module(*given64)
    result = result if isinstance(result, torch.Tensor) else leaves(result)[0]
    expected = torch.autograd.grad((result * weights.double()).sum(), list(leaf.values()),
                                   allow_unused=True)
    for i, (a, b) in enumerate(zip(found, expected)):
        if a is not None and b is not None:
            near(a, b, f"gradient {i}")
    module.float()
)";

std::string filled(std::string text, const std::map<std::string, std::string>& values) {
  for (const auto& [key, value] : values) {
    const std::string mark = "@" + key + "@";
    for (auto at = text.find(mark); at != std::string::npos;
         at = text.find(mark, at + value.size()))
      text.replace(at, mark.size(), value);
  }
  return text;
}

std::string python_list(const std::vector<std::string>& items) {
  std::string text;
  for (const auto& item : items) text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", item);
  return "[" + text + "]";
}

std::vector<std::string> slots_of(const std::vector<const OperatorTensor*>& tensors) {
  std::vector<std::string> slots;
  for (const auto* tensor : tensors) slots.push_back(tensor->slot);
  return slots;
}

/// The operator's definition and its shapes, in Python.
Result<std::string> definition_text(const Operator& op, const std::string& name) {
  WW_TRY(const auto shapes, shape_function(op, "_shapes_of_" + name));
  std::string parameters;
  for (const auto* tensor : given_tensors(op))
    parameters += (parameters.empty() ? "" : ", ") + tensor->name;
  const auto& first = given_tensors(op).front()->name;
  return fmt::format(
      "{0}\n\n_LIBRARY.define(\"{1}{2}\")\n\n\ndef _meta_of_{1}({3}):\n    made = "
      "_shapes_of_{1}({3})\n    return _empty({4}, made) if made else None\n\n\n"
      "_LIBRARY.impl(\"{1}\", _meta_of_{1}, \"Meta\")\n\n\n",
      shapes, name, schema_of(op), parameters, first);
}

Result<std::string> autograd_text(const Operator& forward, const Operator& backward) {
  std::vector<std::string> taken = slots_of(given_tensors(backward));
  std::vector<std::string> gradients;
  std::string which;
  const auto outputs = made_tensors(forward);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string slot = "grad_" + outputs[i]->slot;
    if (std::find(taken.begin(), taken.end(), slot) == taken.end()) continue;
    gradients.push_back(slot);
    which += fmt::format("{}{}", which.empty() ? "" : ", ", i);
  }
  const auto given = slots_of(given_tensors(forward));
  for (const auto& slot : taken) {
    if (slot.starts_with("grad_") || std::find(given.begin(), given.end(), slot) != given.end())
      continue;
    return Error{
        fmt::format("the backward needs '{}', which the forward does not have: they are no "
                    "pair of one module",
                    slot)};
  }
  return filled(kAutograd, {{"FORWARD", python_list(given)},
                            {"GRADIENTS", python_list(gradients)},
                            {"WHICH", "[" + which + "]"},
                            {"TAKEN", python_list(taken)},
                            {"MADE", python_list(slots_of(made_tensors(backward)))}});
}

/// binding.cpp: the functions and their registration.
Result<std::string> binding_text(const Operator& forward, const Operator* backward,
                                 const std::string& space) {
  std::string text = "// Made by Warpwright: the operators' CUDA functions.\n" + binding_head();
  WW_TRY(const auto function,
         binding_function(forward, forward.name + "_solve", KernelPlace::other_file));
  text += function;
  std::string rows = fmt::format("  m.impl(\"{0}\", &{0});\n", forward.name);
  if (backward != nullptr) {
    WW_TRY(const auto other,
           binding_function(*backward, backward->name + "_solve", KernelPlace::other_file));
    text += other;
    rows += fmt::format("  m.impl(\"{}_backward\", &{});\n", forward.name, backward->name);
  }
  return text + fmt::format("\nTORCH_LIBRARY_IMPL({}, CUDA, m) {{\n{}}}\n", space, rows);
}

/// A kernel whose solve has a name of its own, so that two can be linked.
std::string renamed(const Winner& winner) {
  return fmt::format("#define solve {}_solve\n{}\n#undef solve\n", winner.task.name, winner.source);
}

std::string readme_text(const Winner& forward, const Winner* backward) {
  const std::string& name = forward.task.name;
  std::string text = fmt::format(
      "# {0}\n\n{1} as an operator of PyTorch: `torch.ops.warpwright_{2}.{2}`.\n\n"
      "```\nimport {2}\nfast = {2}.Fast(module)   # same parameters, this kernel as its forward\n"
      "```\n\n`python test_{2}.py` holds it against the module. The first import builds it and "
      "needs "
      "nvcc and ninja; on a\nmachine without CUDA only shapes work.\n\n"
      "It takes contiguous tensors as they are and copies strided ones. Types and shapes are "
      "checked: "
      "those that the kernel\nwas judged for are taken, others raise an error. It works on the "
      "caller's stream, and under `torch.compile`.\n",
      name, forward.task.title, name);
  text += backward != nullptr ? "Gradients are computed by a kernel of their own.\n"
                              : "It has no gradient.\n";
  if (!forward.measured.empty()) text += "\n## Measured\n\n" + forward.measured + "\n";
  if (backward != nullptr && !backward->measured.empty()) text += "\n" + backward->measured + "\n";
  return text;
}

std::string test_tolerance(const Task& task) {
  for (const auto& argument : task.arguments)
    if (is_buffer(argument) && is_half(argument.type)) return "0.05";
  return "1e-3";
}

Result<std::string> inline_file(const Winner& winner, const std::string& form) {
  const Task& task = winner.task;
  if (winner.source.find("\"\"\"") != std::string::npos)
    return Error{"the kernel has three quotes in a row, which its Python text cannot hold"};
  WW_TRY(auto op, operator_of(task));
  op.name = task.name + "_forward";
  WW_TRY(const auto function, binding_function(op, "solve", KernelPlace::same_file));
  WW_TRY(const auto arguments, argument_list(task));
  std::string declaration;
  for (const auto* tensor : given_tensors(op))
    declaration +=
        fmt::format("{}const at::Tensor& {}", declaration.empty() ? "" : ", ", tensor->name);
  const auto outputs = made_tensors(op).size();
  std::string type = outputs == 1 ? "at::Tensor" : "std::tuple<at::Tensor";
  for (std::size_t i = 1; i < outputs; ++i) type += ", at::Tensor";
  if (outputs > 1) type += ">";
  if (outputs == 0) type = "void";
  return filled(form, {{"TITLE", task.title},
                       {"MODULE", task.torch.source},
                       {"KERNEL", winner.source},
                       {"BINDING", binding_head() + function},
                       {"TYPE", type},
                       {"DECLARATION", declaration},
                       {"NAME", task.name},
                       {"WRAPPED", python_list(wrapped_calls())},
                       {"ARGUMENTS", arguments}});
}

constexpr const char* kInlineBody = R"(
_KERNEL = r"""
@KERNEL@
"""

_BINDING = r"""
@BINDING@
"""

_loaded = load_inline(
    name="warpwright_@NAME@", cpp_sources="@TYPE@ @NAME@_forward(@DECLARATION@);",
    cuda_sources=_KERNEL + _BINDING, functions=["@NAME@_forward"], extra_cuda_cflags=["-O3"],
    extra_ldflags=["-Wl,--wrap=" + name for name in @WRAPPED@])


@ARGUMENTS@
)";

}  // namespace

Result<std::string> argument_list(const Task& task) {
  WW_TRY(const auto op, operator_of(task));
  std::string lines;
  for (const auto* tensor : given_tensors(op)) {
    const auto space = tensor->slot.find(' ');
    const std::string kind = tensor->slot.substr(0, space);
    const std::string path = space == std::string::npos ? "" : tensor->slot.substr(space + 1);
    if (kind == "input")
      lines += fmt::format("        _input(args, kwargs, \"{}\"),\n", path);
    else
      lines += fmt::format("        _part(module, \"{}\"),\n", path);
  }
  return fmt::format(
      "def _input(args, kwargs, path):\n    value = dict(enumerate(args))\n"
      "    value.update(kwargs)\n    for key in path.split(\".\"):\n"
      "        index = int(key) if key.isdigit() else key\n"
      "        value = value[index]\n    return value\n\n\n"
      "def _part(module, path):\n    for key in path.split(\".\"):\n"
      "        module = getattr(module, key)\n    return module\n\n\n"
      "def arguments(module, args, kwargs):\n"
      "    \"\"\"What the operator takes: the call's inputs and the module's parameters.\"\"\"\n"
      "    return [\n{}    ]\n",
      lines);
}

Result<Files> torch_package(const Winner& forward, const Winner* backward) {
  const std::string& name = forward.task.name;
  const std::string space = "warpwright_" + name;
  if (forward.task.torch.source.empty())
    return Error{
        fmt::format("'{}' has no PyTorch module: its reference is not a reference.py", name)};
  if (forward.task.torch.backward)
    return Error{fmt::format(
        "'{}' is the gradients of a module: export the forward, and name this one as its backward",
        name)};
  WW_TRY(const auto op, operator_of(forward.task));
  std::optional<Operator> grad;
  if (backward != nullptr) {
    WW_TRY(grad, operator_of(backward->task));
  }
  WW_TRY(const auto definition, definition_text(op, name));
  std::string init = std::string(kPackageHead) + definition;
  if (grad) {
    WW_TRY(const auto text, definition_text(*grad, name + "_backward"));
    init += text;
  }
  WW_TRY(const auto arguments, argument_list(forward.task));
  init += arguments + "\n" + kPackageLoad;
  if (grad) {
    WW_TRY(const auto text, autograd_text(op, *grad));
    init += "\n" + text;
  }
  const std::map<std::string, std::string> marks = {
      {"NAME", name},
      {"SPACE", space},
      {"TITLE", forward.task.title},
      {"MODE", forward.task.torch.mode == "eval" ? "eval" : "train"},
      {"TOLERANCE", test_tolerance(forward.task)},
      {"GRADIENT_TEST", ""},
      {"SOURCES", grad ? "\"binding.cpp\", \"kernel.cu\", \"kernel_backward.cu\""
                       : "\"binding.cpp\", \"kernel.cu\""}};
  const std::string wrapped = python_list(wrapped_calls());
  Files files;
  files[name + "/__init__.py"] =
      filled(filled(init, {{"WRAPPED", wrapped.substr(1, wrapped.size() - 2)}}), marks);
  files[name + "/kernel.cu"] = renamed(forward);
  if (backward != nullptr) files[name + "/kernel_backward.cu"] = renamed(*backward);
  WW_TRY(files[name + "/binding.cpp"], binding_text(op, grad ? &*grad : nullptr, space));
  files[name + "/reference.py"] = forward.task.torch.source;
  const std::string test = filled(kPackageTest, {{"GRADIENT_TEST", grad ? kGradientTest : ""}});
  files["test_" + name + ".py"] = filled(test, marks);
  files["README.md"] = readme_text(forward, backward);
  return files;
}

Result<std::string> kernelbench_file(const Winner& winner) {
  const Task& task = winner.task;
  if (task.torch.source.empty() || task.torch.backward)
    return Error{fmt::format(
        "'{}' is no forward of a PyTorch module, which KernelBench's form needs", task.name)};
  if (task.torch.source.find("class Model") == std::string::npos)
    return Error{fmt::format(
        "reference.py of '{}' has no class Model, which KernelBench's form needs", task.name)};
  return inline_file(winner, std::string(R"(# @TITLE@: made by Warpwright.
import torch
from torch.utils.cpp_extension import load_inline

@MODULE@
)") + kInlineBody + R"(
class ModelNew(Model):
    """The module with the kernel above as its forward."""

    def forward(self, *args, **kwargs):
        return _loaded.@NAME@_forward(*arguments(self, args, kwargs))
)");
}

Result<std::string> gpu_mode_submission(const Winner& winner) {
  for (const TaskArgument& argument : winner.task.arguments) {
    if (argument.torch.starts_with("parameter") || argument.torch.starts_with("buffer"))
      return Error{fmt::format("'{}' is a part of the module, and gpu-mode's form has inputs alone",
                               argument.name)};
  }
  return inline_file(winner, std::string(R"(#!POPCORN leaderboard @NAME@
# @TITLE@: made by Warpwright.
from task import input_t, output_t
from torch.utils.cpp_extension import load_inline
)") + kInlineBody + R"(

def custom_kernel(data: input_t) -> output_t:
    return _loaded.@NAME@_forward(*arguments(None, (data,), {}))
)");
}

}  // namespace warpwright::exchange
