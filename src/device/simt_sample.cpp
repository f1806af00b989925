// SPDX-License-Identifier: Apache-2.0
#include "device/simt_sample.h"

#include <algorithm>

#include "base/one_way.h"
#include "simt/state/program.h"

namespace warpwright::device {

namespace {

constexpr std::uint64_t kGroup = 4;
constexpr std::uint64_t kProbedBlocks = 8;
constexpr std::uint64_t kLeastSample = 16;
// Per launch; some tenths of a second on a slow host.
constexpr std::uint64_t kWarpInstructions = 4'000'000;
// All blocks, where they take no more: none is left that a sample could have missed.
constexpr std::uint64_t kAllBlocks = 16'000'000;
// A block that waits for one outside of the sample would wait for ever.
constexpr std::uint64_t kLongestSample = 24'000'000;
// All blocks of a grid in which each waits for all others.
constexpr std::uint64_t kWholeGrid = 200'000'000;
// Blocks that multiply matrices may take seconds each. The limit of their launches counts what
// their sums take, too.
constexpr std::uint64_t kProbedProducts = 2;
constexpr std::uint64_t kLongestProducts = 500'000'000;

/// Blocks that may wait for others wait for earlier ones, if not for all.
std::vector<std::uint64_t> first_blocks(std::uint64_t count) {
  std::vector<std::uint64_t> blocks(count);
  for (std::uint64_t i = 0; i < count; ++i) blocks[i] = i;
  return blocks;
}

/// All blocks, for their time alone.
Result<simt::LaunchReport> launch_whole(simt::Machine& machine, const simt::Module& module,
                                        simt::Launch launch) {
  launch.options.only_blocks.clear();
  launch.options.checks = std::min(launch.options.checks, simt::Checks::fast);
  launch.options.max_warp_instructions = std::min(launch.options.max_warp_instructions, kWholeGrid);
  return machine.launch(module, launch);
}

/// A grid whose blocks may wait for each other: the first ones, or all where these get no further.
Result<simt::LaunchReport> launch_waiting(simt::Machine& machine, const simt::Module& module,
                                          const simt::Launch& launch,
                                          const std::function<Status()>& restore) {
  const std::uint64_t total = launch.grid.count();
  simt::Launch part = launch;
  const auto all = [&] { return launch_whole(machine, module, launch); };
  if (total <= 2 * kLeastSample || launch.cluster.count() > 1) return all();
  part.options.max_warp_instructions = std::min(part.options.max_warp_instructions, kLongestSample);
  part.options.only_blocks = first_blocks(kLeastSample);
  WW_TRY(auto probe, machine.launch(module, part));
  const bool endless =
      std::any_of(probe.faults.begin(), probe.faults.end(),
                  [](const simt::Fault& f) { return f.kind == simt::FaultKind::timeout; });
  if (!probe.clean() && !endless) return probe;
  WW_CHECK(restore());
  if (probe.stuck || endless) return all();
  const std::uint64_t per_block =
      std::max<std::uint64_t>(probe.counts.warp_instructions() / kLeastSample, 1);
  const std::uint64_t count = std::max(kWarpInstructions / per_block, 2 * kLeastSample);
  if (2 * count >= total) return all();
  part.options.only_blocks = first_blocks(count);
  WW_TRY(auto report, machine.launch(module, part));
  if (!report.stuck) return report;
  WW_CHECK(restore());
  return all();
}

/// What a block took, with what emulated matrix instructions take.
std::uint64_t work_per_block(const simt::LaunchReport& report) {
  const std::uint64_t all = report.counts.warp_instructions() + report.sums;
  return std::max<std::uint64_t>(all / std::max<std::uint64_t>(report.blocks_run, 1), 1);
}

/// How many blocks that take so much are a sample.
std::uint64_t sample_of(std::uint64_t per_block) {
  const std::uint64_t light = kWarpInstructions / per_block;
  return light >= kLeastSample ? light : std::min(kLeastSample, kLongestSample / per_block);
}

}  // namespace

std::vector<std::uint64_t> lone_blocks(std::uint64_t total, std::uint64_t count,
                                       std::uint64_t secret) {
  std::vector<std::uint64_t> blocks;
  count = std::min(count, total);
  for (std::uint64_t part = 0; part < count; ++part) {
    const std::uint64_t begin = part * total / count, end = (part + 1) * total / count;
    blocks.push_back(begin + one_way(secret, "lone blocks", part) % (end - begin));
  }
  return blocks;
}

std::vector<std::uint64_t> sampled_blocks(std::uint64_t total, std::uint64_t count,
                                          std::uint64_t secret) {
  std::vector<std::uint64_t> blocks;
  if (count >= total) {
    for (std::uint64_t i = 0; i < total; ++i) blocks.push_back(i);
    return blocks;
  }
  blocks.push_back(0);
  const std::uint64_t groups = std::max<std::uint64_t>((count + kGroup - 1) / kGroup, 1);
  for (std::uint64_t g = 0; g < groups; ++g) {
    const std::uint64_t begin = g * total / groups, end = (g + 1) * total / groups;
    const std::uint64_t room = end - begin > kGroup ? end - begin - kGroup + 1 : 1;
    const std::uint64_t first = begin + one_way(secret, "sampled blocks", g) % room;
    for (std::uint64_t k = 0; k < kGroup; ++k) {
      const std::uint64_t block = first + k;
      if (block < total && block > blocks.back()) blocks.push_back(block);
    }
  }
  if (blocks.back() + 1 < total) blocks.push_back(total - 1);
  return blocks;
}

Result<simt::LaunchReport> launch_sampled(simt::Machine& machine, const simt::Module& module,
                                          const simt::Launch& launch, std::uint64_t secret,
                                          std::uint64_t times,
                                          const std::function<Status()>& restore) {
  const simt::Kernel* const kernel = module.program()->find(launch.kernel);
  if (kernel != nullptr) {
    // Of a queue any few blocks take all: they are no sample of the grid.
    if (kernel->shares_work) return launch_whole(machine, module, launch);
    if (kernel->waits_for_blocks()) return launch_waiting(machine, module, launch, restore);
  }
  const bool products = kernel != nullptr && kernel->has_products;
  const std::uint64_t total = launch.grid.count();
  simt::Launch part = launch;
  part.options.max_warp_instructions =
      products ? kLongestProducts
               : std::min(part.options.max_warp_instructions, times * kLongestSample);
  part.options.only_blocks = products ? lone_blocks(total, times * kProbedProducts, secret)
                                      : sampled_blocks(total, times * kProbedBlocks, secret);
  const std::uint64_t asked = part.options.only_blocks.size();
  WW_TRY(auto probe, machine.launch(module, part));
  // A cluster runs as a whole. Once more would find what the first run left in place: sorted data.
  if (!probe.clean() || probe.blocks_run == total) return probe;
  const std::uint64_t per_block = work_per_block(probe);
  const std::uint64_t count = times * sample_of(per_block);
  const bool all = total <= kAllBlocks / per_block;
  // Blocks far heavier than that: what was seen has to do.
  const bool few = count < times * kLeastSample;
  if (!all && (count <= probe.blocks_run || (few && !products))) return probe;
  WW_CHECK(restore());
  part.options.only_blocks.clear();
  if (!all && few)
    part.options.only_blocks = lone_blocks(total, count * asked / probe.blocks_run, secret + 1);
  else if (!all && 2 * count < total)
    part.options.only_blocks = sampled_blocks(total, count, secret + 1);
  return machine.launch(module, part);
}

}  // namespace warpwright::device
