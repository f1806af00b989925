// SPDX-License-Identifier: Apache-2.0
#include "simt/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "simt/aggregate.h"
#include "simt/worker.h"

namespace warpwright::simt {
namespace {

constexpr std::uint64_t kMaxResidentBytes = std::uint64_t{8} << 30;

Status check_launch(const Kernel& k, const Launch& l) {
  const auto refuse = [&](const std::string& why) {
    return Error{fmt::format("cannot launch {}: {}", k.name, why)};
  };
  const std::uint64_t threads = l.block.count();
  if (l.grid.count() == 0 || threads == 0) return refuse("a grid or block of size zero");
  if (threads > kMaxThreadsPerBlock || l.block.x > 1024 || l.block.y > 1024 || l.block.z > 64)
    return refuse(fmt::format("a block of {} x {} x {} threads; at most 1024 in all, 64 in z",
                              l.block.x, l.block.y, l.block.z));
  if (k.max_threads != 0 && threads > k.max_threads)
    return refuse(
        fmt::format("{} threads a block, but its launch bounds say {}", threads, k.max_threads));
  if (l.grid.x > 0x7fffffff || l.grid.y > 65535 || l.grid.z > 65535)
    return refuse(fmt::format("a grid of {} x {} x {}; at most 2147483647 x 65535 x 65535",
                              l.grid.x, l.grid.y, l.grid.z));
  if (std::uint64_t{k.static_shared_bytes} + l.dynamic_shared_bytes > kMaxSharedBytesPerBlock)
    return refuse(fmt::format("{} bytes of shared memory; at most {}",
                              k.static_shared_bytes + l.dynamic_shared_bytes,
                              kMaxSharedBytesPerBlock));
  if (l.params.size() != k.param_bytes)
    return refuse(
        fmt::format("{} bytes of parameters, the kernel has {}", l.params.size(), k.param_bytes));
  for (const std::uint64_t b : l.options.only_blocks)
    if (b >= l.grid.count()) return refuse(fmt::format("block {} is not in the grid", b));
  return {};
}

Worker make_worker(LaunchState& s) {
  Worker w;
  w.launch = &s;
  w.counts.resize(s.kernel->blocks.size());
  w.tally.resize(s.kernel->code.size());
  w.divergent.resize(s.kernel->code.size());
  w.stats.resize(s.kernel->accesses);
  w.memos.resize(s.kernel->accesses);
  return w;
}

void run_independent(LaunchState& s, Worker& worker) {
  BlockState b;
  while (!s.stop.load(std::memory_order_relaxed)) {
    const std::size_t next = s.next_block.fetch_add(1, std::memory_order_relaxed);
    if (next >= s.block_count) return;
    start_block(worker, b, s.rank(next));
    run_block(worker, b);
  }
}

/// All blocks at once, in turns: grids that synchronise with themselves.
void run_resident(LaunchState& s, Worker& worker) {
  std::vector<BlockState> blocks(s.block_count);
  std::vector<bool> done(s.block_count, false);
  for (std::size_t i = 0; i < blocks.size(); ++i) start_block(worker, blocks[i], s.rank(i));
  std::size_t left = blocks.size();
  while (left > 0 && !s.stop.load(std::memory_order_relaxed)) {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (done[i] || !run_block(worker, blocks[i])) continue;
      done[i] = true;
      --left;
    }
  }
}

void run_all(LaunchState& s, std::vector<Worker>& workers) {
  if (s.cooperative) return run_resident(s, workers[0]);
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < workers.size(); ++i)
    threads.emplace_back([&s, &workers, i] { run_independent(s, workers[i]); });
  run_independent(s, workers[0]);
  for (std::thread& t : threads) t.join();
}

}  // namespace

Machine::Machine() = default;
Machine::~Machine() = default;

Status Machine::load(const Module& module) {
  const auto& program = module.program();
  if (loaded_.contains(program.get())) return {};
  std::vector<Address> symbols(program->ast.variables.size(), 0);
  for (const std::uint32_t i : program->globals) {
    const Variable& v = program->ast.variables[i];
    WW_TRY(symbols[i], memory_.allocate(v.size_bytes, v.name));
    if (v.align > 256)
      return Error{fmt::format("variable '{}' wants an alignment above 256", v.name)};
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
  return write_initial(*module.program(), loaded_.at(module.program().get()).second);
}

Status Machine::write_initial(const Program& program, const std::vector<Address>& symbols) {
  for (const std::uint32_t i : program.globals) {
    const Variable& v = program.ast.variables[i];
    WW_CHECK(memory_.set(symbols[i], std::byte{0}, v.size_bytes));
    if (!v.initial.empty()) WW_CHECK(memory_.copy_in(symbols[i], v.initial));
    for (const Variable::Pointer& p : v.pointers) {
      Address target = 0;
      for (const std::uint32_t k : program.globals)
        if (program.ast.variables[k].name == p.symbol) target = symbols[k];
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
  s.full_checks = s.launch->options.checks == Checks::full;
  s.counts = s.launch->options.checks != Checks::off;
  if (s.counts) {
    const std::uint64_t bitmap = memory_.arena_bytes() / 32 / 8;
    touched_ = LazyPages(bitmap * 2);
    if (touched_.size() < bitmap * 2) return Error{"no address space for the traffic counters"};
    s.touched_read = reinterpret_cast<std::uint8_t*>(touched_.data());
    s.touched_written = s.touched_read + bitmap;
  }
  if (!s.full_checks) return {};
  s.tag = launches_++ % 255 + 1;
  if (s.tag == 1) memory_.clear_races();
  s.fenced = std::vector<std::atomic<std::uint8_t>>(s.launch->grid.count());
  // Blocks of a cooperative launch synchronise in ways that one bit a block cannot follow.
  if (s.cooperative) return {};
  s.race_writes = memory_.race_writes();
  s.race_reads = memory_.race_reads();
  if (s.race_reads == nullptr) s.race_writes = nullptr;
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
  const Kernel* kernel = module.program()->find(launch.kernel);
  if (kernel == nullptr) return Error{fmt::format("the module has no kernel '{}'", launch.kernel)};
  WW_CHECK(check_launch(*kernel, launch));
  WW_CHECK(load(module));
  const auto started = std::chrono::steady_clock::now();
  LaunchState s;
  s.program = module.program().get();
  s.kernel = kernel;
  s.memory = &memory_;
  s.launch = &launch;
  s.symbols = loaded_.at(s.program).second;
  s.blocks = launch.options.only_blocks;
  s.cooperative = launch.options.cooperative;
  WW_CHECK(prepare_workspace(s));
  s.block_count = s.blocks.empty() ? launch.grid.count() : s.blocks.size();
  if (s.cooperative &&
      s.block_count * (kernel->register_bytes * (launch.block.count() / kLanes + 1)) >
          kMaxResidentBytes)
    return Error{
        fmt::format("cannot launch {}: too many blocks for a cooperative launch", kernel->name)};
  s.budget = static_cast<std::int64_t>(
      std::min<std::uint64_t>(launch.options.max_warp_instructions, INT64_MAX / 2));
  const std::size_t threads =
      s.cooperative ? 1 : std::clamp<std::size_t>(launch.options.threads, 1, s.block_count);
  s.many_threads = threads > 1;
  if (launch.options.max_wall_s > 0)
    s.deadline = started + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                               std::chrono::duration<double>(launch.options.max_wall_s));
  WW_CHECK(prepare_checks(s));
  std::vector<Worker> workers;
  for (std::size_t i = 0; i < threads; ++i) workers.push_back(make_worker(s));
  run_all(s, workers);
  if (!s.full_checks) memory_.assume_valid();
  LaunchReport report = aggregate(s, workers, memory_);
  report.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return report;
}

}  // namespace warpwright::simt
