// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"
#include "base/result.h"
#include "base/stop.h"

namespace warpwright::sandbox {

/// How strongly a command is confined. Written to the archive, never renumber.
enum class Level : int {
  none = 0,        ///< limits on resources only; needs an explicit choice
  landlock = 1,    ///< Landlock, seccomp and limits; other processes' names stay visible
  namespaces = 2,  ///< our own launcher: namespaces, a private root, Landlock, seccomp, limits
  bubblewrap = 3,  ///< the same walls, put up by bubblewrap
};

std::string_view name_of(Level level);
std::optional<Level> level_named(std::string_view name);

/// Zero means "no limit of ours". Memory, CPU time and file size hold per process.
struct Limits {
  std::chrono::milliseconds wall{60'000};
  std::uint64_t cpu_s = 60;
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;
  std::uint64_t processes = 64;
  std::uint64_t file_bytes = std::uint64_t{256} << 20;
  std::uint64_t output_bytes = std::uint64_t{4} << 20;     ///< kept of each stream
  std::uint64_t scratch_bytes = std::uint64_t{512} << 20;  ///< private /tmp, and /dev/shm
};

/// One command. Paths are the same inside and outside; whatever is not the system (/usr, /lib*,
/// /bin), readable or writable does not exist for it. The environment is `env` plus TMPDIR and
/// HOME, which point at private scratch space.
struct Request {
  std::vector<std::string> argv;
  std::vector<std::string> env;
  std::filesystem::path cwd;
  std::string stdin_text;
  std::vector<std::filesystem::path> readable;
  /// Directories; when started as root they are handed to the unprivileged user that runs it.
  std::vector<std::filesystem::path> writable;
  /// NVIDIA's device files and the machine's list of devices are there, too, where it has them.
  /// What runs then can ask the driver for everything: for programs that compute on a GPU alone.
  bool gpu = false;
  Limits limits;
};

struct Options {
  std::optional<Level> level;  ///< exactly this one; absent = the strongest that works here
  bool allow_none = false;     ///< go on without walls where none can be put up
};

/// Whether a level works on this machine, found out by running a command in it.
struct LevelReport {
  Level level = Level::none;
  bool works = false;
  std::string why;  ///< empty when it works
};

/// All levels, strongest first.
std::vector<LevelReport> probe();

/// Runs untrusted commands. Safe to use from several threads.
class Sandbox {
 public:
  /// Chooses a level by trying it. The error tells what was tried and what to install or allow.
  static Result<Sandbox> open(const Options& options = {});

  [[nodiscard]] Level level() const { return level_; }

  /// Runs to the end. The whole tree is gone when this returns, and dies with this process.
  /// The error is for commands that could not be started.
  Result<ProcessExit> run(const Request& request, const StopSignal* stop = nullptr) const;

 private:
  explicit Sandbox(Level level) : level_(level) {}
  Level level_;
};

}  // namespace warpwright::sandbox
