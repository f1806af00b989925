// SPDX-License-Identifier: Apache-2.0
#include "exchange/torch_binding.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpwright::exchange {

namespace {

constexpr const char* kBindingHead = R"(#include <ATen/core/Tensor.h>
#include <ATen/cuda/EmptyTensor.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>
#include <torch/library.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>

// The kernel's host part works on the default stream. The linker turns its calls to these functions
// (--wrap), and they put the caller's stream in its place.
namespace {
thread_local cudaStream_t caller_stream = nullptr;
cudaStream_t meant(cudaStream_t stream) { return stream == nullptr ? caller_stream : stream; }
}  // namespace

extern "C" {
unsigned __real___cudaPushCallConfiguration(dim3, dim3, size_t, void*);
unsigned __wrap___cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void* stream) {
  return __real___cudaPushCallConfiguration(grid, block, shared,
                                            meant(static_cast<cudaStream_t>(stream)));
}
cudaError_t __real_cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t);
cudaError_t __wrap_cudaLaunchKernel(const void* f, dim3 g, dim3 b, void** a, size_t s, cudaStream_t t) {
  return __real_cudaLaunchKernel(f, g, b, a, s, meant(t));
}
cudaError_t __real_cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t);
cudaError_t __wrap_cudaLaunchCooperativeKernel(const void* f, dim3 g, dim3 b, void** a, size_t s,
                                               cudaStream_t t) {
  return __real_cudaLaunchCooperativeKernel(f, g, b, a, s, meant(t));
}
cudaError_t __real_cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void*, void**);
cudaError_t __wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t* c, const void* f, void** a) {
  cudaLaunchConfig_t config = *c;
  config.stream = meant(c->stream);
  return __real_cudaLaunchKernelExC(&config, f, a);
}
cudaError_t __real_cudaMemsetAsync(void*, int, size_t, cudaStream_t);
cudaError_t __wrap_cudaMemsetAsync(void* p, int v, size_t n, cudaStream_t t) {
  return __real_cudaMemsetAsync(p, v, n, meant(t));
}
cudaError_t __wrap_cudaMemset(void* p, int v, size_t n) {
  return __real_cudaMemsetAsync(p, v, n, caller_stream);
}
cudaError_t __real_cudaMemcpyAsync(void*, const void*, size_t, cudaMemcpyKind, cudaStream_t);
cudaError_t __wrap_cudaMemcpyAsync(void* d, const void* s, size_t n, cudaMemcpyKind k, cudaStream_t t) {
  return __real_cudaMemcpyAsync(d, s, n, k, meant(t));
}
cudaError_t __wrap_cudaMemcpy(void* d, const void* s, size_t n, cudaMemcpyKind k) {
  return __real_cudaMemcpyAsync(d, s, n, k, caller_stream);
}
cudaError_t __real_cudaMallocAsync(void**, size_t, cudaStream_t);
cudaError_t __wrap_cudaMallocAsync(void** p, size_t n, cudaStream_t t) {
  return __real_cudaMallocAsync(p, n, meant(t));
}
cudaError_t __real_cudaFreeAsync(void*, cudaStream_t);
cudaError_t __wrap_cudaFreeAsync(void* p, cudaStream_t t) { return __real_cudaFreeAsync(p, meant(t)); }
cudaError_t __real_cudaEventRecord(cudaEvent_t, cudaStream_t);
cudaError_t __wrap_cudaEventRecord(cudaEvent_t e, cudaStream_t t) {
  return __real_cudaEventRecord(e, meant(t));
}
cudaError_t __real_cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned);
cudaError_t __wrap_cudaStreamWaitEvent(cudaStream_t t, cudaEvent_t e, unsigned f) {
  return __real_cudaStreamWaitEvent(meant(t), e, f);
}
cudaError_t __real_cudaStreamSynchronize(cudaStream_t);
cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t t) { return __real_cudaStreamSynchronize(meant(t)); }
}

namespace {

[[maybe_unused]] double ww_mod(double a, double b) {
  const double r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
[[maybe_unused]] double ww_and(double a, double b) { return a != 0 && b != 0 ? 1 : 0; }
[[maybe_unused]] double ww_or(double a, double b) { return a != 0 || b != 0 ? 1 : 0; }

// Contiguous and on a boundary of 256 bytes, as the kernel was judged.
at::Tensor ww_ready(const at::Tensor& given) {
  at::Tensor tensor = given.contiguous();
  if (reinterpret_cast<std::uintptr_t>(tensor.data_ptr()) % 256 != 0) tensor = tensor.clone();
  return tensor;
}

// Straight from the allocator: the dispatcher would find the same function again at every call.
[[maybe_unused]] at::Tensor ww_empty(at::IntArrayRef shape, at::ScalarType type, at::Device device) {
  return at::Tensor(at::detail::empty_cuda(shape, type, device, {}));
}

// Words of messages. No stream takes part: an extension may hold a part of the C++ library of its
// own, and then one that prints a double ends the process.
[[maybe_unused]] std::string ww_words(double value) {
  const auto whole = static_cast<std::int64_t>(std::abs(value) < 9e15 ? value : 0);
  return static_cast<double>(whole) == value ? std::to_string(whole) : std::to_string(value);
}
[[maybe_unused]] std::string ww_words(at::IntArrayRef shape) {
  std::string text;
  for (const std::int64_t n : shape) text += (text.empty() ? "" : ", ") + std::to_string(n);
  return "[" + text + "]";
}

[[maybe_unused]] void ww_tensor(const at::Tensor& tensor, const char* name, at::Device device,
                                at::ScalarType type) {
  TORCH_CHECK(tensor.device() == device, std::string(name) + " must be on " + device.str() +
                                             ", it is on " + tensor.device().str());
  TORCH_CHECK(tensor.scalar_type() == type, std::string(name) + " must be of the type " +
                                                c10::toString(type) + ", it is of " +
                                                c10::toString(tensor.scalar_type()));
}

void ww_check(const at::Tensor& tensor, const char* name, at::Device device, at::ScalarType type,
              at::IntArrayRef shape) {
  ww_tensor(tensor, name, device, type);
  TORCH_CHECK(tensor.sizes() == shape, std::string(name) + " must have the shape " +
                                           ww_words(shape) + ", it has " +
                                           ww_words(tensor.sizes()));
}

}  // namespace
)";

const std::vector<std::string> kWrapped = {"__cudaPushCallConfiguration",
                                           "cudaLaunchKernel",
                                           "cudaLaunchCooperativeKernel",
                                           "cudaLaunchKernelExC",
                                           "cudaMemsetAsync",
                                           "cudaMemset",
                                           "cudaMemcpyAsync",
                                           "cudaMemcpy",
                                           "cudaMallocAsync",
                                           "cudaFreeAsync",
                                           "cudaEventRecord",
                                           "cudaStreamWaitEvent",
                                           "cudaStreamSynchronize"};

Result<std::string> cpp_shape(const OperatorTensor& tensor) {
  std::string list;
  for (const auto& dimension : tensor.shape) {
    WW_TRY(const auto text, expression_text(dimension, Language::cpp));
    list += fmt::format("{}static_cast<std::int64_t>({})", list.empty() ? "" : ", ", text);
  }
  return "{" + list + "}";
}

Result<std::string> number_lines(const Operator& op) {
  std::string lines;
  for (const auto& number : op.numbers) {
    if (!number.tensor.empty()) {
      lines += fmt::format(
          "  TORCH_CHECK({0}_.dim() > {1}, \"{0} has too few dimensions\");\n"
          "  [[maybe_unused]] const double {2} = static_cast<double>({0}_.size({1}));\n",
          number.tensor, number.dimension, number.name);
      continue;
    }
    WW_TRY(const auto text, expression_text(number.text, Language::cpp));
    lines += fmt::format("  [[maybe_unused]] const double {} = {};\n", number.name, text);
  }
  for (const auto& bound : op.bounds) {
    WW_TRY(const auto left, expression_text(bound.left, Language::cpp));
    WW_TRY(const auto right, expression_text(bound.right, Language::cpp));
    lines +=
        fmt::format("  TORCH_CHECK({0} {1} {2}, \"the kernel was judged for {3} {1} {4} only\");\n",
                    left, bound.sign, right, bound.left, bound.right);
  }
  return lines;
}

Result<std::string> call_text(const Operator& op, const std::string& solve, KernelPlace place) {
  std::string list;
  for (const std::string& item : op.call) {
    list += list.empty() ? "" : ", ";
    const auto colon = item.find(':');
    if (colon == std::string::npos) {
      const auto tensor = std::find_if(op.tensors.begin(), op.tensors.end(),
                                       [&](const auto& t) { return t.name == item; });
      list += place == KernelPlace::other_file
                  ? item + ".data_ptr()"
                  : fmt::format("static_cast<{}*>({}.data_ptr())", tensor->cuda, item);
      continue;
    }
    WW_TRY(const auto text, expression_text(item.substr(colon + 1), Language::cpp));
    list += fmt::format("static_cast<{}>({})", item.substr(0, colon), text);
  }
  if (op.stream) list += ", caller_stream";
  return fmt::format("  {}({});\n", solve, list);
}

std::string declaration_of(const Operator& op, const std::string& solve) {
  std::string list;
  for (const std::string& item : op.call) {
    list += list.empty() ? "" : ", ";
    const auto colon = item.find(':');
    list += colon == std::string::npos ? "void*" : item.substr(0, colon);
  }
  if (op.stream) list += ", cudaStream_t";
  return fmt::format("extern \"C\" void {}({});\n", solve, list);
}

std::string return_line(const Operator& op) {
  const auto made = made_tensors(op);
  if (made.empty()) return "";
  if (made.size() == 1) return fmt::format("  return {};\n", made.front()->name);
  std::string list;
  for (const auto* tensor : made) list += (list.empty() ? "" : ", ") + tensor->name;
  return fmt::format("  return std::make_tuple({});\n", list);
}

}  // namespace

std::string returned_type(std::size_t outputs) {
  if (outputs == 0) return "void";
  if (outputs == 1) return "at::Tensor";
  std::string list = "at::Tensor";
  for (std::size_t i = 1; i < outputs; ++i) list += ", at::Tensor";
  return "std::tuple<" + list + ">";
}

std::string binding_head() { return kBindingHead; }

const std::vector<std::string>& wrapped_calls() { return kWrapped; }

std::string schema_of(const Operator& op) {
  std::string list;
  char alias = 'a';
  for (const auto* tensor : given_tensors(op)) {
    const bool changed = tensor->role == ArgumentRole::inout;
    list += fmt::format("{}Tensor{} {}", list.empty() ? "" : ", ",
                        changed ? fmt::format("({}!)", alias++) : "", tensor->name);
  }
  const std::size_t outputs = made_tensors(op).size();
  std::string results = outputs == 1 ? "Tensor" : "";
  for (std::size_t i = 0; outputs != 1 && i < outputs; ++i)
    results += i == 0 ? "Tensor" : ", Tensor";
  return fmt::format("({}) -> {}", list, outputs == 1 ? results : "(" + results + ")");
}

Result<std::string> binding_function(const Operator& op, const std::string& solve,
                                     KernelPlace place) {
  std::string parameters;
  std::string prepared;
  std::string checks;
  std::string back;
  const std::string& first = given_tensors(op).front()->name;
  for (const auto* tensor : given_tensors(op)) {
    parameters +=
        fmt::format("{}const at::Tensor& {}_", parameters.empty() ? "" : ", ", tensor->name);
    WW_TRY(const auto shape, cpp_shape(*tensor));
    checks += fmt::format("  ww_check({0}_, \"{0}\", {1}_.device(), {2}, {3});\n", tensor->name,
                          first, at_type(tensor->type), shape);
    prepared += fmt::format("  const at::Tensor {0} = ww_ready({0}_);\n", tensor->name);
    if (tensor->role == ArgumentRole::inout)
      back += fmt::format("  if (!{0}.is_same({0}_)) {0}_.copy_({0});\n", tensor->name);
  }
  std::string made;
  for (const auto* tensor : made_tensors(op)) {
    WW_TRY(const auto shape, cpp_shape(*tensor));
    made += fmt::format("  const at::Tensor {} = ww_empty({}, {}, {}_.device());\n", tensor->name,
                        shape, at_type(tensor->type), first);
  }
  WW_TRY(const auto numbers, number_lines(op));
  WW_TRY(const auto call, call_text(op, solve, place));
  return fmt::format(
      "\n{}\n{} {}({}) {{\n  const c10::cuda::CUDAGuard ww_guard({}_.device());\n{}{}{}{}"
      "  caller_stream = c10::cuda::getCurrentCUDAStream().stream();\n{}{}{}}}\n",
      place == KernelPlace::other_file ? declaration_of(op, solve) : "",
      returned_type(made_tensors(op).size()), op.name, parameters, first, numbers, checks, prepared,
      made, call, back, return_line(op));
}

Result<std::string> shape_function(const Operator& op, const std::string& name) {
  std::string parameters;
  std::string lines;
  for (const auto* tensor : given_tensors(op))
    parameters += (parameters.empty() ? "" : ", ") + tensor->name;
  for (const auto& number : op.numbers) {
    if (!number.tensor.empty()) {
      lines += fmt::format("    {} = _size({}, {}, \"{}\")\n", number.name, number.tensor,
                           number.dimension, number.tensor);
      continue;
    }
    WW_TRY(const auto text, expression_text(number.text, Language::python));
    lines += fmt::format("    {} = {}\n", number.name, text);
  }
  for (const auto& bound : op.bounds) {
    WW_TRY(const auto left, expression_text(bound.left, Language::python));
    WW_TRY(const auto right, expression_text(bound.right, Language::python));
    lines += fmt::format(
        "    if not {0} {1} {2}:\n        raise ValueError(\"the kernel was judged for {3} {1} {4} "
        "only\")\n",
        left, bound.sign, right, bound.left, bound.right);
  }
  const auto shape_of = [](const OperatorTensor& tensor) -> Result<std::string> {
    std::string list;
    for (const auto& dimension : tensor.shape) {
      WW_TRY(const auto text, expression_text(dimension, Language::python));
      list += fmt::format("_whole({}), ", text);
    }
    return "(" + list + ")";
  };
  for (const auto* tensor : given_tensors(op)) {
    WW_TRY(const auto shape, shape_of(*tensor));
    lines += fmt::format("    _check({0}, \"{0}\", torch.{1}, {2})\n", tensor->name, tensor->type,
                         shape);
  }
  std::string results;
  for (const auto* tensor : made_tensors(op)) {
    WW_TRY(const auto shape, shape_of(*tensor));
    results += fmt::format("({}, torch.{}), ", shape, tensor->type);
  }
  return fmt::format("def {}({}):\n{}    return [{}]\n", name, parameters, lines, results);
}

}  // namespace warpwright::exchange
