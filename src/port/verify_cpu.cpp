// SPDX-License-Identifier: Apache-2.0
#include "port/verify_cpu.h"

#include <sys/stat.h>

#include <algorithm>

#include "base/files.h"
#include "base/swept_folder.h"
#include "flops/exact_run.h"
#include "flops/program.h"
#include "flops/staging.h"
#include "flops/targets.h"
#include "port/compare_runs.h"
#include "port/hip_headers.h"
#include "port/outputs.h"

namespace warpwright::port {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kKeptBytes = std::uint64_t{256} << 20;
constexpr int kNarrow = 32, kWide = 64;

enum class Side { before, after };

/// One program as it is built and run: 0 lanes for CUDA.
struct Version {
  Side side = Side::before;
  int lanes = 0;
  std::string name;  ///< in notes
};

struct Ran {
  std::string missing;  ///< why it could not be run; empty: it was
  flop::BuiltProgram program;
  flop::ExactRun run;
};

class CpuProver {
 public:
  CpuProver(const CarriedProject& project, const RunProof& proof, const build::Builder& builder,
            const StopSignal* stop, fs::path folder)
      : project_(project),
        proof_(proof),
        builder_(builder),
        stop_(stop),
        folder_(std::move(folder)) {}

  Result<CpuVerdict> prove(Direction direction) {
    WW_CHECK(write_hip_headers(folder_ / "headers"));
    const bool to_hip = direction == Direction::to_hip;
    const Side hip = to_hip ? Side::after : Side::before;
    cuda_ = {to_hip ? Side::before : Side::after, 0, "the CUDA program"};
    const Version narrow{hip, kNarrow, "wavefronts of 32"}, wide{hip, kWide, "wavefronts of 64"};
    CpuVerdict verdict;
    WW_TRY(expected_, run(cuda_, simt::Checks::fast));
    std::string hindrance = expected_.missing;
    if (hindrance.empty()) hindrance = crash_of(expected_.run);
    if (!hindrance.empty()) {
      verdict.notes.push_back("cpu: " + cuda_.name + ": " + hindrance);
      verdict.hindrance = hindrance_of(cuda_, expected_);
      return verdict;
    }
    if (!expected_.run.faults.empty())
      verdict.notes.push_back("cpu: " + cuda_.name + ": " + expected_.run.faults.front());
    WW_TRY(const Ran first, run(narrow, simt::Checks::full));
    WW_TRY(verdict.wave32, judge(narrow, first, verdict));
    // A program whose code is the same for both sizes does the same; what the host learns of the
    // size of a warp is 32 after a port.
    WW_TRY(flop::BuiltProgram second, build(wide));
    if (second.ok && first.program.ok && second.ptx == first.program.ptx && !asks_for_size()) {
      verdict.wave64 = verdict.wave32;
      return verdict;
    }
    WW_TRY(const Ran other, run_built(wide, std::move(second), simt::Checks::full));
    WW_TRY(verdict.wave64, judge(wide, other, verdict));
    return verdict;
  }

 private:
  /// Whether the program's text knows of the size of a wavefront. Compatibility headers tell 32.
  [[nodiscard]] bool asks_for_size() const {
    const fs::path& folder = cuda_.side == Side::before ? project_.folder : project_.root;
    for (const std::string& file : project_.files) {
      const auto text = read_file(folder / file);
      if (!text.ok()) return true;
      for (const std::string_view word : {"warpSize", "WarpSize", "WAVEFRONT", "wavefrontsize"})
        if (text->find(word) != std::string::npos) return true;
    }
    return false;
  }

  Result<fs::path> new_folder(const std::string& name) {
    const fs::path folder = folder_ / (std::to_string(made_++) + "_" + name);
    WW_CHECK(make_directories(folder));
    ::chmod(folder.c_str(), 0755);
    return folder;
  }

  /// A file that the runner takes for device code by its name.
  Result<fs::path> as_device_code(const fs::path& file) {
    if (file.extension() == ".cu") return file;
    WW_TRY(const fs::path folder, new_folder("unit"));
    const fs::path wrapper = folder / (file.stem().string() + ".cu");
    WW_CHECK(write_file(wrapper, "#include \"" + file.string() + "\"\n"));
    ::chmod(wrapper.c_str(), 0644);
    return wrapper;
  }

  Result<flop::BuiltProgram> build(const Version& version) {
    const bool before = version.side == Side::before;
    flop::Sources sources;
    sources.cwd = before ? project_.root : project_.folder;
    for (const Unit& unit : project_.units) sources.files.push_back(before ? unit.from : unit.path);
    if (before) {
      sources.includes = project_.from_includes;
    } else {
      for (const std::string& each : project_.flags.includes) sources.includes.emplace_back(each);
    }
    WW_TRY(const fs::path copies, new_folder("sources"));
    WW_TRY(sources, flop::readable_sources(sources, copies));
    flop::ProgramRequest request;
    for (std::size_t i = 0; i < sources.files.size(); ++i) {
      fs::path file = sources.files[i];
      if (project_.units[i].device) {
        WW_TRY(file, as_device_code(file));
      }
      request.files.push_back(std::move(file));
    }
    request.includes = sources.includes;
    request.includes.push_back(sources.cwd);
    request.defines = project_.flags.defines;
    request.limits.wall = std::chrono::minutes(10);  // a busy machine
    WW_TRY(request.target, flop::target_named("sm_80"));
    if (version.lanes != 0) {
      // Only clang leaves calls alone that the machine itself answers.
      request.front_end = build::FrontEnd::clang;
      request.includes.insert(request.includes.begin(), folder_ / "headers");
      request.defines.push_back("WW_WAVE_SIZE=" + std::to_string(version.lanes));
    }
    WW_TRY(const fs::path folder, new_folder("build"));
    return flop::build_program(builder_, request, folder, stop_);
  }

  Result<Ran> run(const Version& version, simt::Checks checks) {
    WW_TRY(flop::BuiltProgram program, build(version));
    return run_built(version, std::move(program), checks);
  }

  Result<Ran> run_built(const Version& version, flop::BuiltProgram program, simt::Checks checks) {
    Ran ran;
    ran.program = std::move(program);
    if (!ran.program.ok) {
      ran.missing = "cannot be built for the CPU: " + ran.program.reason;
      return ran;
    }
    flop::ExactRequest request;
    request.checks = checks;
    request.budget = proof_.budget;
    request.kept_bytes = kKeptBytes;
    request.run.arguments = proof_.arguments;
    request.run.time = std::chrono::minutes(10);
    WW_TRY(request.run.target, flop::target_named("sm_80"));
    if (version.lanes != 0) request.run.target.warp_size = version.lanes;
    // Data files are beside the input, whatever is run.
    WW_TRY(const fs::path parent, new_folder("run"));
    request.run.may_write = flop::working_copy(project_.root, parent / "work").ok();
    request.run.cwd = request.run.may_write ? parent / "work" : project_.root;
    WW_TRY(ran.run, flop::run_exactly(builder_.sandbox(), ran.program, request, stop_));
    ran.run.exit.out =
        without_own_path(std::move(ran.run.exit.out), ran.program.executable.string());
    ran.missing = missing_of(ran.run);
    return ran;
  }

  [[nodiscard]] std::string missing_of(const flop::ExactRun& run) const {
    constexpr int kMissing = 118;
    if (run.over_budget)
      return "takes more than " + std::to_string(proof_.budget) +
             " warp instructions; give it less work with --run, or allow more with --budget";
    if (run.exit.timed_out) return "did not end within its time (" + run.exit.describe() + ")";
    if (run.exit.exit_code == kMissing || (!run.missing.empty() && run.launches == 0))
      return run.missing.empty() ? "could not start"
                                 : "needs what is not there: " + run.missing.front();
    for (const std::string& what : run.missing)
      if (what.starts_with("device code")) return what;
    return {};
  }

  /// Of a version that could not be run.
  static Hindrance hindrance_of(const Version& version, const Ran& ran) {
    if (version.side == Side::before) return Hindrance::original;
    return ran.program.ok ? Hindrance::port_not_run : Hindrance::port_not_built;
  }

  /// Nothing where it could not be run.
  Result<std::optional<bool>> judge(const Version& version, const Ran& ran, CpuVerdict& verdict) {
    const auto say = [&](const std::string& text) {
      verdict.notes.push_back("cpu, " + version.name + ": " + text);
    };
    const auto unknown = [&](Hindrance hindrance) {
      if (verdict.hindrance == Hindrance::none) verdict.hindrance = hindrance;
      return std::optional<bool>();
    };
    if (!ran.missing.empty()) {
      say(ran.missing);
      return unknown(hindrance_of(version, ran));
    }
    const bool sums = adds_in_any_order(expected_.program) || adds_in_any_order(ran.program);
    const Tolerance tolerance = sums ? Tolerance::sums : Tolerance::none;
    WW_TRY(const auto found, difference_to(ran.run, tolerance));
    if (found) {
      say(found->text);
      return found->is_known ? std::optional<bool>(false) : unknown(Hindrance::original);
    }
    WW_TRY(const std::string fault, new_fault(ran.run));
    if (!fault.empty()) {
      say("a fault that the CUDA program does not have: " + fault);
      return std::optional<bool>(false);
    }
    return std::optional<bool>(true);
  }

  struct Difference {
    std::string text;
    bool is_known = true;  ///< false: the two cannot be compared
  };

  /// What is not as the CUDA program does it. What that one does in another way each time is left
  /// out.
  Result<std::optional<Difference>> difference_to(const flop::ExactRun& got, Tolerance tolerance) {
    if (!run_difference(expected_.run, got, tolerance)) return std::optional<Difference>();
    if (!again_) {
      WW_TRY(Ran again, run_built(cuda_, expected_.program, simt::Checks::fast));
      again_ = std::move(again);
    }
    const flop::ExactRun& first = expected_.run;
    flop::ExactRun a = first, b = got;
    const auto stable = without_changing_parts(first.exit.out, again_->run.exit.out, got.exit.out);
    if (!stable || first.fetched.size() != again_->run.fetched.size())
      return std::optional(
          Difference{"cannot be compared: the CUDA program does something else each time", false});
    a.exit.out = stable->expected;
    b.exit.out = stable->got;
    for (std::size_t i = 0; i < std::min(a.fetched.size(), b.fetched.size()); ++i)
      if (first.fetched[i].digest != again_->run.fetched[i].digest) b.fetched[i] = a.fetched[i];
    const auto found = run_difference(a, b, tolerance);
    return found ? std::optional(Difference{*found}) : std::optional<Difference>();
  }

  /// A fault of a kind that the CUDA program has not under the same checks; empty: none.
  Result<std::string> new_fault(const flop::ExactRun& run) {
    if (run.faults.empty()) return std::string();
    if (!checked_) {
      WW_TRY(Ran checked, run_built(cuda_, expected_.program, simt::Checks::full));
      checked_ = std::move(checked);
    }
    for (const simt::FaultKind kind : run.kinds)
      if (!checked_->run.kinds.contains(kind) && !is_fault_of_warps(kind))
        return run.faults.front();
    return std::string();
  }

  const CarriedProject& project_;
  const RunProof& proof_;
  const build::Builder& builder_;
  const StopSignal* stop_;
  fs::path folder_;
  int made_ = 0;
  Version cuda_;
  Ran expected_;
  std::optional<Ran> again_, checked_;
};

}  // namespace

Result<CpuVerdict> verify_on_cpu(const CarriedProject& project, Direction direction,
                                 const RunProof& proof, const build::Builder& builder,
                                 const StopSignal* stop) {
  if (!builder.tools().supports(build::FrontEnd::clang))
    return CpuVerdict{{},
                      {},
                      {"cpu: there is no clang 17 or newer, which compiles HIP for the CPU"},
                      Hindrance::tools};
  WW_TRY(const SweptFolder folder, SweptFolder::create("warpwright-port-run-"));
  ::chmod(folder.path().c_str(), 0755);
  return CpuProver(project, proof, builder, stop, folder.path()).prove(direction);
}

}  // namespace warpwright::port
