// SPDX-License-Identifier: Apache-2.0
// When to compile.
#include <fmt/format.h>

#include "simt/native.h"

namespace warpwright::simt {
namespace {

// Measured: a tenth of a second for clang itself, then some milliseconds an instruction.
constexpr double kCompileS = 0.15, kCompilePerInstructionS = 0.003;
constexpr double kWorthIt = 3;       ///< times the compilation must be left to interpret
constexpr double kFirstLookS = 0.1;  ///< before that nothing is known
constexpr std::size_t kBlocksPerLook = 16;

double seconds_since(TierUp::Clock::time_point t) {
  return std::chrono::duration<double>(TierUp::Clock::now() - t).count();
}

double compile_estimate(const Kernel& k) {
  return kCompileS + kCompilePerInstructionS * static_cast<double>(k.code.size());
}

}  // namespace

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
  if (engine == Engine::interpreted) return;
  const bool fixed = s.launch->options.compile_after_blocks != 0;
  if (engine == Engine::compiled ||
      (!fixed && cache_.interpreted_s(kernel_) > kWorthIt * compile_estimate(kernel_)))
    return compile(s);
  if (!s.cooperative && !s.clustered) s.tier_up = this;
}

void TierUp::consider(LaunchState& s, std::size_t blocks_begun) {
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
  if (s.native.load() == nullptr && !refused_.load()) compile(s);
  busy_.unlock();
}

void TierUp::finish(LaunchState& s, LaunchReport& report) {
  report.compiled = s.native.load() != nullptr;
  if (s.launch->options.engine == Engine::compiled) report.interpreted_because = refusal_;
  cache_.interpreted_s(kernel_) += compiled_s_ < 0 ? seconds_since(started_) : compiled_s_;
}

}  // namespace warpwright::simt
