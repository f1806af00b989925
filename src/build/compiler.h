// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/stop.h"
#include "build/toolchain.h"
#include "core/device_facts.h"
#include "core/evaluation.h"
#include "core/task.h"
#include "core/verdict.h"
#include "ptx/census.h"
#include "ptx/entries.h"
#include "sandbox/sandbox.h"

namespace warpwright::build {

/// One parameter of `solve` as far as calling it goes.
struct SolveArgument {
  bool pointer = true;
  ElementType type = ElementType::f32;  ///< of a scalar; f16 and bf16 scalars are not supported
  bool stream = false;                  ///< the caller's stream, always the last one

  bool operator==(const SolveArgument&) const = default;
};

std::vector<SolveArgument> solve_arguments(const Task& task);

struct BuildRequest {
  std::string source;
  std::vector<SolveArgument> arguments;
  std::vector<std::filesystem::path> include;  ///< header-only libraries, read-only
  /// clang: headers of another platform in the words of CUDA, searched first. The folder's name
  /// tells its content. Empty: none.
  std::filesystem::path platform;
  int wavefront = 0;      ///< clang: lanes of a wavefront that is no warp; 0: warps
  std::string signature;  ///< what solve must be declared as; empty = not checked
  DeviceFacts target;
  FrontEnd front_end = FrontEnd::automatic;
  int optimisation = 3;
  bool fast_math = false;
  bool fused = true;     ///< a*b + c may be rounded once
  bool assemble = true;  ///< clang: also make a cubin and ask for resources where there is a ptxas
  sandbox::Limits limits{.wall = std::chrono::seconds(60), .cpu_s = 60};
};

/// A candidate after the build stage: ready to record and run, or a verdict with its diagnostics.
struct BuildOutcome {
  Verdict verdict = Verdict::harness_error;  ///< ok, compile_error or timeout
  std::string reason;                        ///< one sentence, empty for ok
  std::vector<Diagnostic> diagnostics;       ///< errors, and warnings even when ok
  FrontEnd front_end = FrontEnd::automatic;  ///< the one that was used
  std::string ptx;
  /// The same source once more, for a run that looks for accesses past the end of local arrays:
  /// it traps there. Empty where the device code has no such arrays, or no compiler made it.
  std::string bounds_ptx;
  std::string cubin;  ///< empty without ptxas
  std::vector<ptx::Entry> entries;
  std::vector<ptx::CensusRow> census;      ///< of the PTX
  std::vector<ptx::CensusRow> sass;        ///< of the cubin; empty without nvdisasm
  std::vector<KernelResources> resources;  ///< what ptxas reported; empty without it
  std::string libraries;     ///< folders of the request with digests of what they hold
  std::string host_library;  ///< ELF bytes: the host part, for record()
  bool from_cache = false;
  double wall_s = 0;
};

/// Whether threads have arrays in local memory, as nvcc and clang write them.
bool has_local_arrays(std::string_view ptx);

/// Compiles candidates, each in the sandbox. Safe to use from several threads and processes with
/// the same cache folder: results appear there whole, by rename.
class Builder {
 public:
  struct Options {
    std::filesystem::path cache;  ///< created when missing; may be deleted at any time
    bool use_cache = true;        ///< false: rebuild candidates, still keep our own tools there
  };

  static Result<Builder> create(sandbox::Sandbox sandbox, Toolchain tools, Options options);

  /// The error is the world's: no compiler, no disk. What the candidate did wrong is in the
  /// outcome.
  Result<BuildOutcome> build(const BuildRequest& request, const StopSignal* stop = nullptr) const;

  [[nodiscard]] const sandbox::Sandbox& sandbox() const { return sandbox_; }
  [[nodiscard]] const Toolchain& tools() const { return tools_; }

  /// The folder with our device headers, unpacked.
  [[nodiscard]] const std::filesystem::path& headers() const { return headers_; }
  /// The folder with the recorder: libcudart.so and the program `record`, compiled at the first
  /// use.
  Result<std::filesystem::path> recorder(FrontEnd front_end) const;
  /// A folder of the cache for something of ours, filled by the first who asks for it.
  Result<std::filesystem::path> shared_folder(
      std::string_view name,
      const std::function<Status(const std::filesystem::path& partial)>& fill) const;
  /// Digest of the headers and the recorder inside this program.
  [[nodiscard]] const std::string& digest() const { return digest_; }

 private:
  Builder(sandbox::Sandbox sandbox, Toolchain tools, Options options)
      : sandbox_(sandbox), tools_(std::move(tools)), options_(std::move(options)) {}

  sandbox::Sandbox sandbox_;
  Toolchain tools_;
  Options options_;
  std::filesystem::path headers_;
  std::string digest_;
};

}  // namespace warpwright::build
