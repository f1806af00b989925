// SPDX-License-Identifier: Apache-2.0
// When to compile.
#include <fmt/format.h>

#include "simt/native/native.h"

namespace warpwright::simt {
namespace {

// Measured: a tenth of a second for clang itself, then some milliseconds an instruction.
constexpr double kCompileS = 0.15, kCompilePerInstructionS = 0.003;
constexpr double kWorthIt = 3;       ///< times the compilation must be left to interpret
constexpr double kLeastGain = 3;     ///< times as fast that it must be expected to be
constexpr double kFirstLookS = 0.1;  ///< before that nothing is known
constexpr std::size_t kBlocksPerLook = 16;

double seconds_since(TierUp::Clock::time_point t) {
  return std::chrono::duration<double>(TierUp::Clock::now() - t).count();
}

double compile_estimate(const Kernel& k) {
  return kCompileS + kCompilePerInstructionS * static_cast<double>(k.code.size());
}

}  // namespace

void KernelRuns::add(const Worker& worker) {
  counts.resize(worker.counts.size());
  for (std::size_t b = 0; b < counts.size(); ++b) {
    counts[b].warps += worker.counts[b].warps;
    counts[b].lanes += worker.counts[b].lanes;
  }
  stats.resize(worker.stats.size());
  for (std::size_t row = 0; row < stats.size(); ++row) {
    stats[row].requests += worker.stats[row].requests;
    stats[row].sectors += worker.stats[row].sectors;
  }
}

bool TierUp::pays(const LaunchState& s, const KernelRuns& runs) {
  const NativeVariant variant = variant_for(*s.launch);
  if (expected_gain(kernel_, variant, runs) >= kLeastGain) return true;
  cache_.give_up(kernel_, variant);
  return false;
}

Result<Engine> engine_named(std::string_view name) {
  if (name == "auto") return Engine::automatic;
  if (name == "interpreted") return Engine::interpreted;
  if (name == "compiled") return Engine::compiled;
  return Error{fmt::format("the engine is auto, interpreted or compiled, not \"{}\"", name)};
}

void TierUp::compile(LaunchState& s) {
  const auto code = cache_.get(program_, kernel_, variant_for(*s.launch));
  if (!code.ok()) {
    refusal_ = code.error().message;
    refused_.store(true);
    return;
  }
  compiled_s_ = seconds_since(started_);
  s.native.store(*code, std::memory_order_release);
}

void TierUp::start(LaunchState& s) {
  const Engine engine = s.launch->options.engine;
  if (engine == Engine::interpreted || s.launch->options.log != nullptr) return;
  const bool fixed = s.launch->options.compile_after_blocks != 0;
  if (engine == Engine::compiled) return compile(s);
  if (!fixed && cache_.given_up(kernel_, variant_for(*s.launch))) return;
  const KernelRuns& before = cache_.runs(kernel_);
  if (!fixed && before.seconds > kWorthIt * compile_estimate(kernel_)) {
    if (pays(s, before)) compile(s);
    return;
  }
  if (!s.cooperative && !s.clustered) s.tier_up = this;
}

void TierUp::consider(const Worker& worker, std::size_t blocks_begun) {
  LaunchState& s = *worker.launch;
  const std::uint64_t fixed = s.launch->options.compile_after_blocks;
  if (fixed != 0 && blocks_begun < fixed) return;
  if (fixed == 0 && blocks_begun % kBlocksPerLook != 0 && s.block_count > 16 * kBlocksPerLook)
    return;
  if (s.native.load(std::memory_order_relaxed) != nullptr || refused_.load()) return;
  const double so_far = seconds_since(started_);
  const double left =
      so_far *
      static_cast<double>(s.block_count - std::min<std::size_t>(blocks_begun, s.block_count)) /
      static_cast<double>(blocks_begun);
  if (fixed == 0 && (so_far < kFirstLookS || left < kWorthIt * compile_estimate(kernel_))) return;
  // The other workers go on interpreting meanwhile.
  if (!busy_.try_lock()) return;
  KernelRuns runs;
  runs.add(worker);
  if (s.native.load() == nullptr && !refused_.load()) {
    if (fixed != 0 || pays(s, runs))
      compile(s);
    else
      refused_.store(true);
  }
  busy_.unlock();
}

void TierUp::finish(LaunchState& s, const std::vector<Worker>& workers, LaunchReport& report) {
  report.compiled = s.native.load() != nullptr;
  if (s.launch->options.engine == Engine::compiled) report.interpreted_because = refusal_;
  KernelRuns& runs = cache_.runs(kernel_);
  runs.seconds += compiled_s_ < 0 ? seconds_since(started_) : compiled_s_;
  for (const Worker& w : workers) runs.add(w);
}

}  // namespace warpwright::simt
