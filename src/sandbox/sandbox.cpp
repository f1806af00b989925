// SPDX-License-Identifier: Apache-2.0
#include "sandbox/sandbox.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <random>

#include "base/assert.h"
#include "base/files.h"
#include "sandbox/launcher.h"
#include "sandbox/seccomp.h"

namespace warpwright::sandbox {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 4> kNames = {"none", "landlock", "namespaces", "bubblewrap"};

// What programs need to start. Anything of /etc beyond these few stays outside.
constexpr const char* kSystem[] = {
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/alternatives"};
constexpr const char* kDevices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                    "/dev/urandom"};

// A user id of no one, one per run, so that the kernel's per-user process count is the run's own.
constexpr uid_t kFirstUid = 0x57570000;
constexpr uid_t kUidCount = 1 << 20;

RootEntry::Kind kind_of(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) ? RootEntry::Kind::directory : RootEntry::Kind::file;
}

void add_system(ChildSetup& setup) {
  for (const char* path : kSystem) {
    std::error_code ignored;
    if (fs::is_symlink(path, ignored)) {
      setup.root.push_back({.kind = RootEntry::Kind::symlink,
                            .source = fs::read_symlink(path, ignored).string(),
                            .target = path});
    } else if (fs::exists(path, ignored)) {
      setup.root.push_back({.kind = kind_of(path), .source = path, .target = path});
    }
  }
  setup.root.push_back({.kind = RootEntry::Kind::tmpfs, .target = "/dev/shm"});
  setup.root.push_back({.kind = RootEntry::Kind::tmpfs, .target = "/tmp"});
  for (const char* path : kDevices) {
    setup.root.push_back({.kind = RootEntry::Kind::file,
                          .source = path,
                          .target = path,
                          .writable = true,
                          .devices = true});
  }
  setup.root.push_back(
      {.kind = RootEntry::Kind::symlink, .source = "/proc/self/fd", .target = "/dev/fd"});
}

/// What a program needs to find a GPU and to talk to its driver.
void add_gpu(ChildSetup& setup) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/dev", ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("nvidia") || !entry.is_character_file(ignored)) continue;
    setup.root.push_back({.kind = RootEntry::Kind::file,
                          .source = entry.path().string(),
                          .target = entry.path().string(),
                          .writable = true,
                          .devices = true});
    setup.gpu_devices.push_back(entry.path().string());
  }
  if (fs::is_directory("/sys/bus/pci", ignored))
    setup.root.push_back({.kind = RootEntry::Kind::directory, .source = "/sys", .target = "/sys"});
}

void add_paths(ChildSetup& setup, const Request& request) {
  const auto add = [&setup](const fs::path& path, bool writable) {
    // The source is looked up where absolute links would lead elsewhere, so none may be left.
    std::error_code code;
    const fs::path real = fs::canonical(path, code);
    setup.root.push_back({.kind = kind_of(path),
                          .source = (code ? path : real).string(),
                          .target = path.string(),
                          .writable = writable});
  };
  for (const auto& path : request.readable) add(path, false);
  for (const auto& path : request.writable) {
    add(path, true);
    setup.hand_over.push_back(path.string());
  }
}

/// The same walls as the private root has, as rules on paths.
void add_rules(ChildSetup& setup, const std::string& scratch) {
  std::vector<bool> writable;
  for (const auto& entry : setup.root) {
    const bool private_scratch = entry.kind == RootEntry::Kind::tmpfs;
    if (private_scratch && setup.level == Level::landlock) continue;
    setup.rule_paths.push_back(entry.target);
    writable.push_back(entry.writable || private_scratch);
  }
  setup.rule_paths.emplace_back(setup.level == Level::landlock ? "/proc/self" : "/proc");
  // CUDA's driver gives its threads names, which it writes to files below /proc/self, and does not
  // start where it may not.
  writable.push_back(setup.level != Level::landlock || !setup.gpu_devices.empty());
  if (!setup.gpu_devices.empty() && setup.level == Level::landlock) {
    setup.rule_paths.emplace_back("/proc/driver");
    writable.push_back(false);
  }
  if (!scratch.empty()) {
    setup.rule_paths.push_back(scratch);
    writable.push_back(true);
  }
  for (std::size_t i = 0; i < setup.rule_paths.size(); ++i) {
    setup.rules.push_back({setup.rule_paths[i].c_str(), writable[i]});
  }
}

Result<ChildSetup> make_setup(Level level, const Request& request, const std::string& scratch) {
  ChildSetup setup;
  setup.level = level;
  setup.limits = request.limits;
  setup.cwd = request.cwd.string();
  setup.tmpfs_options = "mode=1777,size=" + std::to_string(request.limits.scratch_bytes);
  if (::geteuid() == 0) {
    std::random_device entropy;
    setup.drop_to = kFirstUid + static_cast<uid_t>(entropy() % kUidCount);
  }
  add_system(setup);
  if (request.gpu) add_gpu(setup);
  add_paths(setup, request);
  if (!scratch.empty()) setup.hand_over.push_back(scratch);
  add_rules(setup, scratch);
  SignalRule signals = SignalRule::allowed;
  if (level == Level::landlock) {
    signals = landlock_abi() >= 6 ? SignalRule::groups_fixed : SignalRule::denied;
  }
  WW_TRY(setup.filter,
         seccomp_program(signals, request.gpu ? SocketRule::listening : SocketRule::none));
  return setup;
}

std::vector<std::string> bubblewrap_argv(const ChildSetup& setup, const Request& request) {
  std::vector<std::string> argv = {"bwrap",
                                   "--unshare-user",
                                   "--unshare-all",
                                   "--uid",
                                   "65534",
                                   "--gid",
                                   "65534",
                                   "--new-session",
                                   "--die-with-parent",
                                   "--cap-drop",
                                   "ALL",
                                   "--seccomp",
                                   std::to_string(kFilterDescriptor),
                                   "--proc",
                                   "/proc",
                                   "--dev",
                                   "/dev"};
  const std::string size = std::to_string(request.limits.scratch_bytes);
  for (const auto& entry : setup.root) {
    switch (entry.kind) {
      case RootEntry::Kind::tmpfs:
        argv.insert(argv.end(), {"--size", size, "--perms", "1777", "--tmpfs", entry.target});
        break;
      case RootEntry::Kind::symlink:
        if (entry.target != "/dev/fd") {
          argv.insert(argv.end(), {"--symlink", entry.source, entry.target});
        }
        break;
      default:
        if (entry.devices) break;  // --dev made them
        argv.insert(argv.end(),
                    {entry.writable ? "--bind" : "--ro-bind-try", entry.source, entry.target});
    }
  }
  for (const std::string& device : setup.gpu_devices)
    argv.insert(argv.end(), {"--dev-bind", device, device});
  if (!request.cwd.empty()) argv.insert(argv.end(), {"--chdir", request.cwd.string()});
  argv.emplace_back("--");
  // Inside the user namespace, so that the limit counts the sandbox's processes alone.
  if (request.limits.processes > 0 && find_program("prlimit").ok()) {
    argv.insert(argv.end(),
                {"/usr/bin/prlimit", "--nproc=" + std::to_string(request.limits.processes) + ":" +
                                         std::to_string(request.limits.processes)});
  }
  argv.insert(argv.end(), request.argv.begin(), request.argv.end());
  return argv;
}

/// bubblewrap reports a signal as 128 + its number, as shells do.
void restore_signal(ProcessExit& exit) {
  if (exit.exit_code <= 128 || exit.exit_code > 128 + 64) return;
  exit.signal = exit.exit_code - 128;
  exit.exit_code = -1;
}

Result<ProcessExit> run_at(Level level, const Request& given, const StopSignal* stop) {
  ASSERT(!given.argv.empty(), "a command needs a program");
  Request request = given;
  WW_TRY(const fs::path program, find_program(request.argv[0]));
  request.argv[0] = program.string();
  std::optional<TemporaryDirectory> scratch;
  std::string scratch_path;
  if (level == Level::landlock || level == Level::none) {
    WW_TRY(TemporaryDirectory made, TemporaryDirectory::create("warpwright-"));
    scratch.emplace(std::move(made));
    scratch_path = scratch->path().string();
  }
  WW_TRY(ChildSetup setup, make_setup(level, request, scratch_path));
  Command command;
  command.argv = request.argv;
  command.env = request.env;
  const std::string private_tmp = scratch_path.empty() ? "/tmp" : scratch_path;
  command.env.push_back("TMPDIR=" + private_tmp);
  command.env.push_back("HOME=" + private_tmp);
  command.cwd = level == Level::bubblewrap ? fs::path() : request.cwd;
  command.stdin_text = request.stdin_text;
  command.limits.wall = request.limits.wall;
  command.limits.output_bytes = request.limits.output_bytes;
  command.in_child_context = &setup;
  switch (level) {
    case Level::bubblewrap:
      command.argv = bubblewrap_argv(setup, request);
      command.in_child = prepare_for_bubblewrap;
      break;
    case Level::namespaces:
      command.in_child = confine_in_namespaces;
      break;
    case Level::landlock:
      command.in_child = confine_with_landlock;
      break;
    case Level::none:
      command.in_child = only_limits;
      break;
  }
  WW_TRY(ProcessExit exit, run_process(command, stop));
  if (level == Level::bubblewrap) restore_signal(exit);
  return exit;
}

/// Whether a level starts a program at all, and whether its walls stand.
LevelReport try_level(Level level) {
  LevelReport report{.level = level};
  Request request;
  // A file that is readable by everyone outside, and must not be inside.
  request.argv = {"/bin/sh", "-c", "(: < /etc/passwd) 2>/dev/null || echo works"};
  request.env = {"PATH=/usr/bin:/bin"};
  request.limits.wall = std::chrono::seconds(10);
  const auto exit = run_at(level, request, nullptr);
  if (!exit.ok()) {
    report.why = exit.error().message;
  } else if (exit->succeeded() && exit->out == (level == Level::none ? "" : "works\n")) {
    report.works = true;
  } else {
    report.why = exit->describe() + ": " + exit->err.substr(0, 200);
  }
  return report;
}

/// Root can bind what only root may reach, and then drop to a fresh user; bubblewrap started by a
/// dropped user cannot. Ordinary users get bubblewrap first, which distributions allow namespaces
/// even where they are closed to others.
std::vector<Level> preferred_order() {
  if (::geteuid() == 0) return {Level::namespaces, Level::bubblewrap, Level::landlock};
  return {Level::bubblewrap, Level::namespaces, Level::landlock};
}

}  // namespace

std::string_view name_of(Level level) {
  const auto index = static_cast<std::size_t>(level);
  ASSERT(index < kNames.size(), "unknown sandbox level");
  return kNames[index];
}

std::optional<Level> level_named(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Level>(i);
  }
  return std::nullopt;
}

std::vector<LevelReport> probe() {
  std::vector<LevelReport> reports;
  for (const Level level : {Level::bubblewrap, Level::namespaces, Level::landlock}) {
    reports.push_back(try_level(level));
  }
  return reports;
}

Result<Sandbox> Sandbox::open(const Options& options) {
  if (options.level == Level::none && options.allow_none) return Sandbox(Level::none);
  if (options.level.has_value()) {
    const LevelReport report = try_level(*options.level);
    if (report.works && *options.level != Level::none) return Sandbox(*options.level);
    return Error{"sandbox level '" + std::string(name_of(*options.level)) +
                 "' cannot be used here: " +
                 (report.why.empty() ? "it must be allowed explicitly" : report.why)};
  }
  std::string tried;
  for (const Level level : preferred_order()) {
    const LevelReport report = try_level(level);
    if (report.works) return Sandbox(level);
    tried += "\n  " + std::string(name_of(level)) + ": " + report.why;
  }
  if (options.allow_none) return Sandbox(Level::none);
  return Error{"no sandbox works on this machine, so untrusted code is not run. Tried:" + tried +
               "\nInstall bubblewrap, allow user namespaces (sysctl user.max_user_namespaces), or "
               "use a kernel with Landlock (5.13 or newer)."};
}

Result<ProcessExit> Sandbox::run(const Request& request, const StopSignal* stop) const {
  return run_at(level_, request, stop);
}

}  // namespace warpwright::sandbox
