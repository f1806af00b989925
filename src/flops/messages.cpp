// SPDX-License-Identifier: Apache-2.0
#include "flops/messages.h"

#include <algorithm>

#include "base/text.h"
#include "flops/program.h"

namespace warpwright::flop {

namespace {

/// The text between the first `before` and the next `after` behind it; empty when there is none.
std::string_view between(std::string_view line, std::string_view before, std::string_view after) {
  const std::size_t at = line.find(before);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + before.size());
  const std::size_t end = rest.find(after);
  return end == std::string_view::npos ? std::string_view{} : rest.substr(0, end);
}

/// How compilers and linkers say that something is not there.
struct Phrase {
  std::string_view before, after, kind;
};

constexpr Phrase kPhrases[] = {
    {"fatal error: '", "' file not found", "include "},
    {"fatal error: ", ": No such file or directory", "include "},
    {"undefined reference to `", "'", "function "},
    {"undefined symbol: ", "\n", "function "},
    {"cannot find -l", ":", "library "},
};

/// How compilers say that they do not know a name.
constexpr Phrase kUnknown[] = {
    {"use of undeclared identifier '", "'", "call "},
    {"unknown type name '", "'", "type "},
    {"no template named '", "'", "type "},
    {"identifier \"", "\" is undefined", "call "},
};

/// Names that only the toolkit or a library of it can mean.
bool is_of_toolkit(std::string_view name) {
  constexpr std::string_view kBegins[] = {"cuda",     "CUDA_",  "CU_",    "cublas", "curand",
                                          "cusparse", "cufft",  "cudnn",  "nvml",   "nccl",
                                          "npp",      "thrust", "tex1D",  "tex2D",  "tex3D",
                                          "texCube",  "surf1D", "surf2D", "surf3D"};
  if (name == "texture" || name == "surface") return true;
  return std::any_of(std::begin(kBegins), std::end(kBegins),
                     [&](std::string_view begin) { return name.starts_with(begin); });
}

/// What a line says is not there; empty: nothing.
std::string missing_in_line(std::string_view line) {
  for (const Phrase& phrase : kPhrases) {
    const std::string_view found = between(line, phrase.before, phrase.after);
    if (!found.empty()) return std::string(phrase.kind) + std::string(found);
  }
  for (const Phrase& phrase : kUnknown) {
    const std::string_view found = between(line, phrase.before, phrase.after);
    if (is_of_toolkit(found)) return std::string(phrase.kind) + std::string(found);
  }
  if (const std::string_view kernel = between(line, "reference to __global__ function '", "'");
      !kernel.empty())
    return "dynamic parallelism: a kernel launches " + std::string(kernel);
  if (line.find("kernel launch from __device__ or __global__") != std::string_view::npos)
    return "dynamic parallelism: a kernel launches another";
  return {};
}

}  // namespace

std::vector<std::string> missing_in(std::string_view messages) {
  constexpr std::size_t kMost = 50;
  std::vector<std::string> missing;
  for (const std::string_view line : lines_of(messages)) {
    std::string text = missing_in_line(line);
    if (!text.empty() && std::find(missing.begin(), missing.end(), text) == missing.end())
      missing.push_back(std::move(text));
    if (missing.size() == kMost) break;
  }
  return missing;
}

std::string first_error(std::string_view messages) {
  for (const std::string_view line : lines_of(messages)) {
    if (line.find("error") == std::string_view::npos &&
        line.find("undefined reference") == std::string_view::npos)
      continue;
    const std::size_t end = line.find_first_of(": (");
    const std::size_t slash = line.substr(0, end).rfind('/');
    return shortened(std::string(line.substr(slash == std::string_view::npos ? 0 : slash + 1)),
                     400);
  }
  return {};
}

}  // namespace warpwright::flop
