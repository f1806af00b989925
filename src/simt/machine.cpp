// SPDX-License-Identifier: Apache-2.0
#include "simt/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "ptx/limits.h"
#include "simt/aggregate.h"
#include "simt/checks/order.h"
#include "simt/checks/race_rules.h"
#include "simt/native/native.h"
#include "simt/run_blocks.h"
#include "simt/state/worker.h"

namespace warpwright::simt {
namespace {

/// What the launch asks for, or the text requires.
Dim3 cluster_of(const Kernel& k, const Launch& l) {
  if (k.cluster[0] == 0) return l.cluster;
  return {k.cluster[0], k.cluster[1], k.cluster[2]};
}

std::int64_t budget_of(const Launch& launch) {
  return static_cast<std::int64_t>(
      std::min<std::uint64_t>(launch.options.max_warp_instructions, INT64_MAX / 2));
}

/// What was taken of the budget, and what workers have not yet taken from it.
std::uint64_t work_of(const LaunchState& s, const std::vector<Worker>& workers) {
  std::int64_t work = budget_of(*s.launch) - s.budget;
  for (const Worker& w : workers) work += w.spent;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(work, 0));
}

/// Samples of blocks become samples of whole clusters.
void choose_blocks(LaunchState& s) {
  const Launch& l = *s.launch;
  s.cluster = cluster_of(*s.kernel, l);
  s.clustered = s.cluster.count() > 1 || s.kernel->uses_cluster_barrier;
  s.blocks = l.options.only_blocks;
  if (s.clustered) {
    for (std::uint64_t& rank : s.blocks) {
      const std::uint64_t x = rank % l.grid.x, y = rank / l.grid.x % l.grid.y,
                          z = rank / l.grid.x / l.grid.y;
      const std::uint64_t across = l.grid.x / s.cluster.x, down = l.grid.y / s.cluster.y;
      rank = (z / s.cluster.z * down + y / s.cluster.y) * across + x / s.cluster.x;
    }
    std::sort(s.blocks.begin(), s.blocks.end());
    s.blocks.erase(std::unique(s.blocks.begin(), s.blocks.end()), s.blocks.end());
  }
  s.block_count =
      s.blocks.empty() ? l.grid.count() : s.blocks.size() * (s.clustered ? s.cluster.count() : 1);
}

Status check_launch(const Kernel& k, const Launch& l) {
  const auto refuse = [&](const std::string& why) {
    return Error{fmt::format("cannot launch {}: {}", k.name, why)};
  };
  const std::uint64_t threads = l.block.count();
  if (l.grid.count() == 0 || threads == 0) return refuse("a grid or block of size zero");
  constexpr const ptx::Limits& kMost = ptx::kLimits;
  if (threads > kMost.threads_per_block || l.block.x > kMost.block_x || l.block.y > kMost.block_y ||
      l.block.z > kMost.block_z)
    return refuse(fmt::format("a block of {} x {} x {} threads; at most {} in all, {} in z",
                              l.block.x, l.block.y, l.block.z, kMost.threads_per_block,
                              kMost.block_z));
  if (k.max_threads != 0 && threads > k.max_threads)
    return refuse(
        fmt::format("{} threads a block, but its launch bounds say {}", threads, k.max_threads));
  if (l.grid.x > kMost.grid_x || l.grid.y > kMost.grid_y || l.grid.z > kMost.grid_z)
    return refuse(fmt::format("a grid of {} x {} x {}; at most {} x {} x {}", l.grid.x, l.grid.y,
                              l.grid.z, kMost.grid_x, kMost.grid_y, kMost.grid_z));
  if (std::uint64_t{k.static_shared_bytes} + l.dynamic_shared_bytes > kMost.shared_bytes_per_block)
    return refuse(fmt::format("{} bytes of shared memory; at most {}",
                              k.static_shared_bytes + l.dynamic_shared_bytes,
                              kMost.shared_bytes_per_block));
  if (l.params.size() != k.param_bytes)
    return refuse(
        fmt::format("{} bytes of parameters, the kernel has {}", l.params.size(), k.param_bytes));
  const Dim3 c = cluster_of(k, l);
  if (l.cluster.count() > 1 && k.cluster[0] != 0 && l.cluster != c)
    return refuse("a cluster other than the one that the kernel requires");
  if (c.count() == 0 || c.count() > kMost.blocks_per_cluster || l.grid.x % c.x != 0 ||
      l.grid.y % c.y != 0 || l.grid.z % c.z != 0)
    return refuse(
        fmt::format("clusters of {} x {} x {} blocks; at most {}, and the grid must be a "
                    "multiple",
                    c.x, c.y, c.z, kMost.blocks_per_cluster));
  for (const std::uint64_t b : l.options.only_blocks)
    if (b >= l.grid.count()) return refuse(fmt::format("block {} is not in the grid", b));
  return {};
}

Worker make_worker(LaunchState& s) {
  Worker w;
  w.launch = &s;
  w.kernel = s.kernel;
  w.turns = Turns(s.launch->options.schedule);
  w.counts.resize(s.kernel->blocks.size());
  w.tally.resize(s.kernel->code.size());
  w.divergent.resize(s.kernel->code.size());
  w.stats.resize(s.kernel->accesses);
  w.waited.resize(s.kernel->wait_loops.size());
  w.memos.resize(s.kernel->accesses);
  w.simple.resize(2 * std::size_t{s.kernel->accesses});
  w.extents = s.kernel->extents;
  for (Extent& e : w.extents)
    if (e == Extent{}) e.high = s.shared_bytes();
  return w;
}

/// Adds what was counted by one number to the statistics.
void count_simple(Worker& worker, const Kernel& k) {
  for (const Ins& i : k.code) {
    const AccessForm* a = k.info[i.id].memory_form();
    if (a == nullptr) continue;
    AccessStats& s = worker.stats[i.target];
    const std::uint64_t one = std::exchange(worker.simple[2 * std::size_t{i.target}], 0);
    const std::uint64_t run = std::exchange(worker.simple[2 * std::size_t{i.target} + 1], 0);
    const std::uint64_t bytes = a->lane_bytes();
    const std::uint64_t passes = one + run * (bytes < 4 ? 1 : bytes / 4);
    s.shared_requests += one + run;
    s.shared_lanes += kLanes * (one + run);
    s.wavefronts += passes;
    s.ideal_wavefronts += passes;
  }
}

}  // namespace

Machine::Machine() : heap_(std::make_unique<Heap>()), native_(std::make_unique<NativeCache>()) {}
Machine::~Machine() = default;

Status Machine::load(const Module& module) {
  const auto& program = module.program();
  if (loaded_.contains(program.get())) return {};
  std::vector<Address> symbols(program->ast.variables.size(), 0);
  for (const std::uint32_t i : program->globals) {
    const ptx::Variable& v = program->ast.variables[i];
    WW_TRY(symbols[i], memory_.allocate(v.size_bytes, v.name,
                                        std::max<std::uint64_t>(v.align, kAllocationAlign)));
  }
  WW_CHECK(write_initial(*program, symbols));
  for (const std::uint32_t i : program->globals)
    if (program->ast.variables[i].space == Space::constant)
      WW_CHECK(memory_.set_read_only(symbols[i]));
  loaded_.emplace(program.get(), std::make_pair(program, std::move(symbols)));
  return {};
}

Status Machine::reset(const Module& module) {
  WW_CHECK(load(module));
  for (const Address a : heap_->live) WW_CHECK(memory_.free(a));
  *heap_ = {};
  return write_initial(*module.program(), loaded_.at(module.program().get()).second);
}

Status Machine::write_initial(const Program& program, const std::vector<Address>& symbols) {
  for (const std::uint32_t i : program.globals) {
    const ptx::Variable& v = program.ast.variables[i];
    WW_CHECK(memory_.set(symbols[i], std::byte{0}, v.size_bytes));
    if (!v.initial.empty()) WW_CHECK(memory_.copy_in(symbols[i], v.initial));
    for (const ptx::Variable::Pointer& p : v.pointers) {
      Address target = 0;
      for (const std::uint32_t k : program.globals)
        if (program.ast.variables[k].name == p.symbol) target = symbols[k];
      if (const std::int64_t f = defined_function(program.ast, p.symbol); target == 0 && f >= 0)
        target = function_address(static_cast<std::size_t>(f));
      if (target == 0)
        return Error{fmt::format(
            "PTX line {}: not supported: the address of '{}' in an initialiser", v.line, p.symbol)};
      target += static_cast<std::uint64_t>(p.addend);
      WW_CHECK(memory_.copy_in(symbols[i] + p.offset, std::as_bytes(std::span(&target, 1))));
    }
    // Writing parts must not make the whole look partly written.
    if (v.size_bytes > 0) WW_CHECK(memory_.copy(symbols[i], symbols[i], v.size_bytes));
  }
  return {};
}

Result<Address> Machine::address_of(const Module& module, std::string_view variable) {
  WW_CHECK(load(module));
  const auto& [program, symbols] = loaded_.at(module.program().get());
  for (const std::uint32_t i : program->globals)
    if (program->ast.variables[i].name == variable) return symbols[i];
  return Error{fmt::format("the module has no variable '{}'", variable)};
}

Status Machine::prepare_checks(LaunchState& s) {
  s.uses = BufferUses(memory_.allocations().size());
  s.full_checks = s.launch->options.checks == Checks::full;
  s.counts = s.launch->options.checks != Checks::off;
  if (s.counts) {
    if (!touched_.prepare(memory_)) return Error{"no address space for the traffic counters"};
    s.touched_read = touched_.read();
    s.touched_written = touched_.written();
    s.log = s.launch->options.log;
    s.early_log = s.launch->options.early_log;
  }
  if (!s.full_checks) return {};
  s.tag = launches_++ % 255 + 1;
  if (s.tag == 1) memory_.clear_races();
  s.fenced = std::vector<std::atomic<std::uint8_t>>(s.launch->grid.count());
  start_ordering(s);
  s.race_writes = memory_.race_writes();
  s.race_reads = memory_.race_reads();
  if (s.race_reads == nullptr) s.race_writes = nullptr;
  s.race_lines = memory_.race_lines();
  if (s.race_writes == nullptr)
    s.unchecked.push_back({"memory_of_checks", "no address space for the race check"});
  if (s.launch->grid.count() >= kManyBlocks)
    s.unchecked.push_back({"blocks_beyond_the_check",
                           "of a grid of that many blocks the last ones are not checked "
                           "for races"});
  if (s.race_writes != nullptr) find_quiet(s);
  return {};
}

Status Machine::prepare_workspace(LaunchState& s) {
  s.symbols.resize(s.symbols.size() + 2, 0);
  if (!s.cooperative) return {};
  if (workspace_ == 0) {
    WW_TRY(workspace_, memory_.allocate(256, "grid workspace"));
  }
  WW_CHECK(memory_.set(workspace_, std::byte{0}, 256));
  s.symbols[s.symbols.size() - 2] = workspace_;
  s.symbols[s.symbols.size() - 1] = workspace_ >> 32;
  return {};
}

Result<LaunchReport> Machine::launch(const Module& module, const Launch& launch) {
  WW_CHECK(module.runnable(launch.kernel));
  const Kernel* kernel = module.program()->find(launch.kernel);
  if (kernel == nullptr) return Error{fmt::format("the module has no kernel '{}'", launch.kernel)};
  WW_CHECK(check_launch(*kernel, launch));
  WW_CHECK(load(module));
  const auto started = std::chrono::steady_clock::now();
  LaunchState s;
  s.program = module.program().get();
  s.kernel = kernel;
  s.memory = &memory_;
  s.heap = heap_.get();
  s.launch = &launch;
  s.symbols = loaded_.at(s.program).second;
  s.cooperative = launch.options.cooperative;
  WW_CHECK(prepare_workspace(s));
  choose_blocks(s);
  s.in_turns = s.cooperative || launch.options.schedule.kind != Schedule::Kind::forward;
  // A check of the whole grid shows that a kernel relies on blocks that need not run: no more are
  // there at once than the device surely holds. A run for its time goes on.
  const bool for_times = launch.options.checks != Checks::full || !s.blocks.empty();
  const bool waits = s.block_count > 1 && kernel->waits_for_blocks();
  s.held_at_once = waits && s.block_count <= launch.options.co_resident;
  s.lets_wait = waits && !s.in_turns && (for_times || launch.options.co_resident > 1);
  s.most_waiting = for_times || s.held_at_once ? s.block_count : launch.options.co_resident;
  if (s.cooperative && s.block_count > most_resident(*kernel, launch))
    return Error{
        fmt::format("cannot launch {}: too many blocks for a cooperative launch", kernel->name)};
  s.budget = budget_of(launch);
  // What warps know of each other is kept by one thread.
  const bool follows = launch.options.checks == Checks::full &&
                       (kernel->orders_warps || kernel->orders_blocks || s.clustered);
  const bool alone = s.cooperative || s.lets_wait || kernel->uses_heap || follows ||
                     launch.options.log != nullptr ||
                     launch.options.schedule.kind != Schedule::Kind::forward;
  const std::size_t threads =
      alone ? 1 : std::clamp<std::size_t>(launch.options.threads, 1, s.block_count);
  s.many_threads = threads > 1;
  s.threads = threads;
  if (launch.options.max_wall_s > 0)
    s.deadline = started + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                               std::chrono::duration<double>(launch.options.max_wall_s));
  WW_CHECK(prepare_checks(s));
  TierUp tier_up(*native_, module.program(), *kernel, started);
  tier_up.start(s);
  std::vector<Worker> workers;
  for (std::size_t i = 0; i < threads; ++i) {
    workers.push_back(make_worker(s));
    if (const NativeCode* code = s.native.load()) prepare_native(workers.back(), *code);
  }
  run_all(s, workers);
  for (Worker& w : workers) {
    count_simple(w, *kernel);
    if (w.native != nullptr) merge_native(w, *s.native.load());
  }
  if (!s.full_checks) memory_.assume_valid();
  LaunchReport report = aggregate(s, workers);
  report.work = work_of(s, workers);
  if (s.counts) {
    const double scale = static_cast<double>(report.blocks_total) /
                         static_cast<double>(std::max<std::uint64_t>(report.blocks_run, 1));
    const Touched touched = touched_.take(memory_, s.uses, scale);
    report.touched_bytes = touched.bytes;
    report.touched_of_grid = touched.of_grid;
  }
  tier_up.finish(s, workers, report);
  report.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return report;
}

}  // namespace warpwright::simt
