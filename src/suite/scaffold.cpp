// SPDX-License-Identifier: Apache-2.0
#include "suite/scaffold.h"

#include <fmt/format.h>

#include <string>

#include "base/files.h"
#include "core/expression.h"
#include "suite/load.h"

namespace warpwright::suite {

namespace {

// Kept simple on purpose: one input, one output, one scalar of each kind.
constexpr std::string_view kTaskToml =
    R"toml(# A task of your own: docs/tasks.md describes every key. Change it piece by piece and run
# `warpwright eval ./NAME ./NAME/baseline.cu` after each step.
title = "NAME"

# All that the model learns of the computation. Say what every argument means and what must hold.
description = """
Scale a float array and add another: out[i] = alpha * x[i] + y[i] for 0 <= i < n.
"""

# The parameters of `extern "C" void solve(...)`, in order. count is an expression over the values
# of a size; values says how an input is filled for timing, range what it may hold: checks fill it in
# other ways, too. A scalar takes the size's value of its own name unless `value = "..."` says
# otherwise.
argument = [
  { name = "x", type = "f32", role = "input", count = "n", values = "normal(0, 1)", range = "-1e6..1e6 real" },
  { name = "y", type = "f32", role = "input", count = "n", values = "uniform(-1, 1)", range = "-1e6..1e6 real" },
  { name = "out", type = "f32", role = "output", count = "n" },
  { name = "alpha", type = "f32", role = "scalar" },
  { name = "n", type = "i32", role = "scalar" },
]

# Timed sizes, and sizes that are only checked: tiny, odd, one beside a power of two.
size = [
  { label = "2^20", n = 1048576, alpha = 2.5 },
  { label = "2^24", n = 16777216, alpha = 2.5 },
]
edge = [
  { n = 1, alpha = 3 }, { n = 33, alpha = -1.5 }, { n = 1000, alpha = 0 }, { n = 65537, alpha = 7 },
]

# Which values there are: each trial draws sizes and scalars from them, and the model is told.
[domain]
n = "1..2^28"
alpha = "-10..10 real"

# |got - expected| <= rtol*|expected| + alpha_rms*RMS(expected). Expected values come from
# reference.cpp if there is one, else from baseline.cu.
[check]
rule = "elementwise"
rtol = 1e-5
alpha_rms = 1e-6

# Least memory traffic and arithmetic, for the distance to the roofline.
[cost]
bytes = "12*n"
flops = "2*n"

# More inputs to check with.
[[variant]]
name = "large"
inputs = { x = "normal(0, 1e6)" }
)toml";

constexpr std::string_view kBaseline =
    R"(// The kernel that speed-ups of NAME are measured against: simple and right for every size.
#include <cuda_runtime.h>

__global__ void scale_and_add(const float* x, const float* y, float* out, float alpha, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = alpha * x[i] + y[i];
}

extern "C" void solve(const float* x, const float* y, float* out, float alpha, int n) {
  scale_and_add<<<(n + 255) / 256, 256>>>(x, y, out, alpha, n);
}
)";

constexpr std::string_view kReference =
    R"(// What NAME is to compute, in float64 on the host: kernels are held against it. Change it with
// baseline.cu, or remove it; then the baseline's outputs are the expected ones.
// `warpwright tasks check ./NAME` runs it.
#include <cstddef>

extern "C" void reference(const float* x, const float* y, double* out, float alpha, int n) {
  for (std::ptrdiff_t i = 0; i < n; ++i) out[i] = double(alpha) * x[i] + y[i];
}
)";

std::string with_name(std::string_view text, std::string_view name) {
  std::string result(text);
  for (std::size_t at = result.find("NAME"); at != std::string::npos;
       at = result.find("NAME", at + name.size())) {
    result.replace(at, 4, name);
  }
  return result;
}

}  // namespace

Status check_task_name(std::string_view name) {
  if (is_identifier(name)) return {};
  return Error{fmt::format(
      "'{}' cannot name a task: use at most 64 letters, digits and underscores, not a digit first",
      name)};
}

std::map<std::string, std::string> new_task_files(std::string_view name) {
  return {{"task.toml", with_name(kTaskToml, name)},
          {"baseline.cu", with_name(kBaseline, name)},
          {"reference.cpp", with_name(kReference, name)}};
}

Status may_become_task(std::string_view name, const std::filesystem::path& parent) {
  WW_CHECK(check_task_name(name));
  const auto folder = parent / name;
  std::error_code ignored;
  if (std::filesystem::exists(folder, ignored)) {
    return Error{
        fmt::format("making the task '{}': it is already there; choose another name or remove it",
                    folder.string())};
  }
  return {};
}

Result<std::filesystem::path> write_new_task(std::string_view name,
                                             const std::filesystem::path& parent) {
  WW_CHECK(may_become_task(name, parent));
  const auto folder = parent / name;
  WW_CHECK(make_directories(folder));
  for (const auto& [file, text] : new_task_files(name)) WW_CHECK(write_file(folder / file, text));
  return folder;
}

Result<std::filesystem::path> write_torch_task(std::string_view name,
                                               const std::filesystem::path& parent,
                                               const std::string& toml, const std::string& module) {
  WW_CHECK(may_become_task(name, parent));
  const TaskFolder texts{
      .name = std::string(name), .where = "task.toml", .toml = toml, .torch = module};
  if (const auto task = parse_task(texts); !task.ok()) {
    return Error{fmt::format("the module's task.toml is none: {}", task.error().message)};
  }
  const auto folder = parent / name;
  const auto write = [&]() -> Status {
    WW_CHECK(make_directories(folder));
    WW_CHECK(write_file(folder / "task.toml", toml));
    return write_file(folder / "reference.py", module);
  };
  if (const auto written = write(); !written.ok()) {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    return written.error();
  }
  return folder;
}

}  // namespace warpwright::suite
