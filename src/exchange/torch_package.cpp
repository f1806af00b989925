// SPDX-License-Identifier: Apache-2.0
#include "exchange/torch_package.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "exchange/package_texts.h"
#include "exchange/text_marks.h"
#include "exchange/torch_binding.h"

namespace warpwright::exchange {

namespace {

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

/// The marks of one operator's C++ functions, which begin with `role`.
std::map<std::string, std::string> signature_marks(const Operator& op, const std::string& role) {
  std::map<std::string, std::string> marks;
  const auto add = [&](const char* key, const char* separator, const std::string& text) {
    std::string& mark = marks[role + key];
    mark += (mark.empty() ? "" : separator) + text;
  };
  for (std::size_t i = 0; i < given_tensors(op).size(); ++i) {
    add("_TYPES", ", ", "const at::Tensor&");
    add("_PARAMETERS", ", ", fmt::format("const at::Tensor& t{}", i));
    add("_NAMES", ", ", fmt::format("t{}", i));
    add("_REQUIRED", " || ", fmt::format("t{}.requires_grad()", i));
  }
  for (std::size_t i = 0; i < made_tensors(op).size(); ++i)
    add("_MADE", ", ", fmt::format("made[{}]", i));
  marks[role + "_RESULT"] = returned_type(made_tensors(op).size());
  return marks;
}

std::optional<std::size_t> place_of(const std::vector<std::string>& list, const std::string& item) {
  const auto found = std::find(list.begin(), list.end(), item);
  if (found == list.end()) return std::nullopt;
  return static_cast<std::size_t>(found - list.begin());
}

/// autograd.cpp. Of the forward's inputs, those are kept that the backward takes.
Result<std::string> autograd_text(const Operator& forward, const Operator& backward) {
  if (made_tensors(forward).empty() ||
      std::any_of(forward.tensors.begin(), forward.tensors.end(),
                  [](const auto& t) { return t.role == ArgumentRole::inout; }))
    return Error{"an operator that works in place has no gradient here: export it without one"};
  const auto given = slots_of(given_tensors(forward));
  const auto outputs = slots_of(made_tensors(forward));
  std::string saved;
  std::string taken;
  std::size_t kept = 0;
  for (const auto& slot : slots_of(given_tensors(backward))) {
    const auto input = place_of(given, slot);
    const auto gradient =
        slot.starts_with("grad_") ? place_of(outputs, slot.substr(5)) : std::nullopt;
    if (!input && !gradient)
      return Error{
          fmt::format("the backward needs '{}', which the forward does not have: they are no "
                      "pair of one module",
                      slot)};
    taken += taken.empty() ? "" : ", ";
    if (input) {
      saved += fmt::format("{}t{}", saved.empty() ? "" : ", ", *input);
      taken += fmt::format("saved[{}]", kept++);
    } else {
      taken += fmt::format("gradients[{}]", *gradient);
    }
  }
  const auto made = slots_of(made_tensors(backward));
  std::string returned;
  for (const auto& slot : given) {
    const auto place = place_of(made, "grad_" + slot);
    returned += fmt::format("{}{}", returned.empty() ? "" : ", ",
                            place ? fmt::format("made[{}]", *place) : "at::Tensor()");
  }
  auto marks = signature_marks(forward, "FORWARD");
  marks.merge(signature_marks(backward, "BACKWARD"));
  marks["SAVED"] = saved;
  marks["TAKEN"] = taken;
  marks["RETURNED"] = returned;
  return with_marks(kAutograd, marks);
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
  return with_marks(form, {{"TITLE", task.title},
                           {"MODULE", task.torch.source},
                           {"KERNEL", winner.source},
                           {"HEAD", binding_head()},
                           {"BINDING", function},
                           {"TYPE", type},
                           {"DECLARATION", declaration},
                           {"NAME", task.name},
                           {"WRAPPED", python_list(wrapped_calls())},
                           {"ARGUMENTS", arguments}});
}

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
  std::string init = std::string(kPackageTitle) + kPackageHead + definition;
  if (grad) {
    WW_TRY(const auto text, definition_text(*grad, name + "_backward"));
    init += text;
  }
  WW_TRY(const auto arguments, argument_list(forward.task));
  init += arguments + "\n" + kPackageLoad + kPackageFast;
  const std::map<std::string, std::string> marks = {
      {"NAME", name},
      {"SPACE", space},
      {"TITLE", forward.task.title},
      {"MODE", forward.task.torch.mode == "eval" ? "eval" : "train"},
      {"TOLERANCE", test_tolerance(forward.task)},
      {"GRADIENT_TEST", ""},
      {"CUDA_FLAGS", "\"-O3\""},
      {"SOURCES", grad ? "\"binding.cpp\", \"autograd.cpp\", \"kernel.cu\", \"kernel_backward.cu\""
                       : "\"binding.cpp\", \"kernel.cu\""}};
  const std::string wrapped = python_list(wrapped_calls());
  Files files;
  files[name + "/__init__.py"] =
      with_marks(with_marks(init, {{"WRAPPED", wrapped.substr(1, wrapped.size() - 2)}}), marks);
  files[name + "/kernel.cu"] = renamed(forward);
  if (grad) {
    files[name + "/kernel_backward.cu"] = renamed(*backward);
    WW_TRY(const auto text, autograd_text(op, *grad));
    files[name + "/autograd.cpp"] = with_marks(text, marks);
  }
  WW_TRY(files[name + "/binding.cpp"], binding_text(op, grad ? &*grad : nullptr, space));
  files[name + "/reference.py"] = forward.task.torch.source;
  const std::string test = with_marks(kPackageTest, {{"GRADIENT_TEST", grad ? kGradientTest : ""}});
  files["test_" + name + ".py"] = with_marks(test, marks);
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
