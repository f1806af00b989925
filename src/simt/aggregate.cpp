// SPDX-License-Identifier: Apache-2.0
#include "simt/aggregate.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace warpwright::simt {
namespace {

std::string file_of(const LaunchState& s, const InsInfo& info) {
  const auto& files = s.program->ast.files;
  return info.source.file < files.size() ? files[info.source.file] : std::string{};
}

/// Executions of each instruction, from those of its block.
std::vector<BlockCount> instruction_counts(const Kernel& k, const std::vector<Worker>& workers) {
  std::vector<BlockCount> counts(k.code.size());
  for (std::size_t b = 0; b < k.blocks.size(); ++b) {
    const std::size_t end = b + 1 < k.blocks.size() ? k.blocks[b + 1].first : k.code.size();
    for (std::size_t i = k.blocks[b].first; i < end; ++i) {
      for (const Worker& w : workers) {
        counts[i].warps += w.counts[b].warps;
        counts[i].lanes += w.counts[b].lanes - w.tally[i];
      }
    }
  }
  return counts;
}

void add_flops(Flops& f, const InsInfo& info, std::uint64_t lanes) {
  const std::uint64_t n = lanes * info.flops;
  switch (info.op_class) {
    case OpClass::fp16:
      f.fp16 += n;
      break;
    case OpClass::fp32:
    case OpClass::atomic:
      f.fp32 += n;
      break;
    case OpClass::fp64:
      f.fp64 += n;
      break;
    case OpClass::special:
    case OpClass::math:
      f.special += n;
      break;
    case OpClass::tensor:
      f.tensor += n;
      break;
    default:
      break;
  }
}

AccessStats total(const std::vector<Worker>& workers, std::int32_t row) {
  AccessStats t;
  for (const Worker& w : workers) {
    const AccessStats& s = w.stats[static_cast<std::size_t>(row)];
    t.requests += s.requests;
    t.lanes += s.lanes;
    t.bytes += s.bytes;
    t.sectors += s.sectors;
    t.shared_requests += s.shared_requests;
    t.shared_lanes += s.shared_lanes;
    t.wavefronts += s.wavefronts;
    t.ideal_wavefronts += s.ideal_wavefronts;
    t.serialised += s.serialised;
    t.serialised_shared += s.serialised_shared;
  }
  return t;
}

void add_access(Counts& c, const InsInfo& info, const AccessStats& t) {
  const OpClass k = info.op_class;
  c.shared_wavefronts += t.wavefronts;
  c.shared_ideal_wavefronts += t.ideal_wavefronts;
  if (k == OpClass::load_local || k == OpClass::store_local) {
    c.local_sectors += t.sectors;
    return;
  }
  const bool is_store = k == OpClass::store_global || k == OpClass::atomic;
  (is_store ? c.global_store_sectors : c.global_load_sectors) += t.sectors;
  (is_store ? c.global_store_requests : c.global_load_requests) += t.requests;
  (is_store ? c.global_store_bytes : c.global_load_bytes) += t.bytes;
  if (k == OpClass::atomic) {
    c.atomic_requests += t.requests + t.shared_requests;
    c.atomic_lanes += t.lanes + t.shared_lanes;
    c.atomic_lanes_shared += t.shared_lanes;
    c.atomic_serialised += t.serialised;
    c.atomic_serialised_shared += t.serialised_shared;
  }
}

class Lines {
 public:
  explicit Lines(const LaunchState& s) : s_(s) {}

  void add(const InsInfo& info, const AccessStats& t) {
    const OpClass k = info.op_class;
    const bool is_store =
        k == OpClass::store_global || k == OpClass::store_shared || k == OpClass::atomic;
    if (t.requests != 0 && k != OpClass::load_local && k != OpClass::store_local) {
      LineTraffic& line = row(info, is_store, false);
      line.requests += t.requests;
      line.lanes += t.lanes;
      line.bytes += t.bytes;
      line.sectors += t.sectors;
    }
    if (t.shared_requests != 0) {
      LineTraffic& line = row(info, is_store, true);
      line.requests += t.shared_requests;
      line.lanes += t.shared_lanes;
      line.wavefronts += t.wavefronts;
      line.ideal_wavefronts += t.ideal_wavefronts;
    }
  }

  [[nodiscard]] std::vector<LineTraffic> take() {
    std::vector<LineTraffic> list;
    for (auto& [key, line] : rows_) list.push_back(std::move(line));
    return list;
  }

 private:
  LineTraffic& row(const InsInfo& info, bool is_store, bool is_shared) {
    const std::uint32_t line = info.source.line != 0 ? info.source.line : info.ptx_line;
    LineTraffic& t = rows_[{info.source.file, line, is_store, is_shared}];
    if (t.ptx_line == 0) {
      t.file = file_of(s_, info);
      t.line = info.source.line;
      t.ptx_line = info.ptx_line;
      t.is_store = is_store;
      t.is_shared = is_shared;
    }
    return t;
  }

  const LaunchState& s_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool, bool>, LineTraffic> rows_;
};

using Place = std::pair<std::uint32_t, std::uint32_t>;  ///< file, line

Place place_of(const InsInfo& info) {
  return {info.source.file, info.source.line != 0 ? info.source.line : info.ptx_line};
}

void add_line(const LaunchState& s, const InsInfo& info, const BlockCount& count,
              const AccessStats& t, std::map<Place, LineCount>& lines) {
  LineCount& line = lines[place_of(info)];
  if (line.ptx_line == 0) {
    line.file = file_of(s, info);
    line.line = info.source.line;
    line.ptx_line = info.ptx_line;
  }
  line.warps += count.warps;
  line.lanes += count.lanes;
  line.flops += count.lanes * info.flops;
  line.most = std::max(line.most, count.warps);
  if (info.op_class == OpClass::barrier) line.barriers += count.warps;
  if (info.op_class == OpClass::load_local || info.op_class == OpClass::store_local)
    line.local_sectors += t.sectors;
  if (info.op_class != OpClass::atomic) return;
  line.atomic_requests += t.requests + t.shared_requests;
  line.atomic_lanes += t.lanes + t.shared_lanes;
  line.atomic_serialised += t.serialised;
}

bool is_before(const Dim3& a, const Dim3& b) {
  return std::tie(a.z, a.y, a.x) < std::tie(b.z, b.y, b.x);
}

/// Of one fault in many blocks the first is told, whichever thread happened to run it.
void merge_faults(LaunchReport& r, const std::vector<Worker>& workers) {
  std::map<std::pair<std::uint32_t, int>, Fault> merged;
  for (const Worker& w : workers) {
    for (const auto& [key, fault] : w.faults) {
      const auto [it, fresh] = merged.try_emplace({key.second, key.first}, fault);
      if (fresh) continue;
      const std::uint64_t occurrences = it->second.occurrences + fault.occurrences;
      if (is_before(fault.block, it->second.block)) it->second = fault;
      it->second.occurrences = occurrences;
    }
  }
  for (auto& [key, fault] : merged) r.faults.push_back(std::move(fault));
}

void find_hottest(Counts& counts, const std::vector<Worker>& workers) {
  std::map<Address, HotSector> all;
  for (const Worker& w : workers) {
    for (const HotSector& hot : w.hot) {
      if (hot.address == 0) continue;
      all[hot.address].updates += hot.updates;
      all[hot.address].switches += hot.switches;
    }
  }
  for (const auto& [address, hot] : all) {
    if (hot.updates <= counts.atomic_hottest) continue;
    counts.atomic_hottest = hot.updates;
    counts.atomic_hottest_switches = hot.switches;
  }
}

}  // namespace

namespace {

std::uint64_t part_of(std::uint64_t n, double share) {
  return static_cast<std::uint64_t>(static_cast<double>(n) * share);
}

AccessStats part_of(const AccessStats& t, double share) {
  AccessStats p;
  p.requests = part_of(t.requests, share);
  p.lanes = part_of(t.lanes, share);
  p.bytes = part_of(t.bytes, share);
  p.sectors = part_of(t.sectors, share);
  p.shared_requests = part_of(t.shared_requests, share);
  p.shared_lanes = part_of(t.shared_lanes, share);
  p.wavefronts = part_of(t.wavefronts, share);
  p.ideal_wavefronts = part_of(t.ideal_wavefronts, share);
  p.serialised = part_of(t.serialised, share);
  p.serialised_shared = part_of(t.serialised_shared, share);
  return p;
}

void add_chain(Chain& all, const Chain& one, std::uint64_t times) {
  const auto n = static_cast<double>(times);
  all.cycles += one.cycles * n;
  all.loads += one.loads * n;
  all.copies += one.copies * n;
}

/// What of the blocks of loops that only ask was done in turns after the first.
void count_asking(const Kernel& k, const std::vector<Worker>& workers,
                  const std::vector<BlockCount>& counts, LaunchReport& r) {
  for (const Worker& w : workers) {
    r.waits += w.waits;
    r.most_waits = std::max(r.most_waits, w.most_waits);
  }
  std::vector<std::uint64_t> turns(k.blocks.size(), 0);
  for (std::size_t l = 0; l < k.wait_loops.size(); ++l)
    for (const Worker& w : workers)
      for (const std::uint32_t b : k.wait_loops[l].blocks) turns[b] += w.waited[l].turns;
  for (std::size_t b = 0; b < k.blocks.size(); ++b) {
    const std::size_t end = b + 1 < k.blocks.size() ? k.blocks[b + 1].first : k.code.size();
    add_chain(r.asking.chain, k.blocks[b].chain, turns[b]);
    for (std::size_t i = k.blocks[b].first; i < end && turns[b] != 0; ++i) {
      const InsInfo& info = k.info[i];
      if (!info.counted || counts[i].warps == 0) continue;
      const double share =
          std::min(1.0, static_cast<double>(turns[b]) / static_cast<double>(counts[i].warps));
      ClassCount& c = r.asking.by_class[static_cast<std::size_t>(info.op_class)];
      c.warps += part_of(counts[i].warps, share);
      c.lanes += part_of(counts[i].lanes, share);
      if (info.access >= 0) add_access(r.asking, info, part_of(total(workers, info.access), share));
    }
  }
}

}  // namespace

LaunchReport aggregate(const LaunchState& s, const std::vector<Worker>& workers) {
  LaunchReport r;
  const Kernel& k = *s.kernel;
  r.grid = s.launch->grid;
  r.block = s.launch->block;
  r.blocks_total = s.launch->grid.count();
  r.blocks_run = s.block_count;
  r.registers = k.registers;
  r.local_bytes = k.local_bytes;
  r.shared_bytes = k.static_shared_bytes + s.launch->dynamic_shared_bytes;
  const std::vector<BlockCount> counts = instruction_counts(k, workers);
  Lines lines(s);
  std::map<Place, LineDivergence> branches;
  std::map<Place, LineCount> by_line;
  for (std::size_t i = 0; i < k.code.size(); ++i) {
    const InsInfo& info = k.info[i];
    if (!info.counted) continue;
    ClassCount& c = r.counts.by_class[static_cast<std::size_t>(info.op_class)];
    c.warps += counts[i].warps;
    c.lanes += counts[i].lanes;
    add_flops(r.counts.flops, info, counts[i].lanes);
    const AccessStats t = info.access >= 0 ? total(workers, info.access) : AccessStats{};
    if (info.access >= 0) {
      add_access(r.counts, info, t);
      lines.add(info, t);
    }
    if (counts[i].warps != 0) add_line(s, info, counts[i], t, by_line);
    if (info.op_class == OpClass::control && info.guarded && counts[i].warps != 0) {
      std::uint64_t divergent = 0;
      for (const Worker& w : workers) divergent += w.divergent[i];
      r.counts.branches += counts[i].warps;
      r.counts.divergent_branches += divergent;
      LineDivergence& d = branches[place_of(info)];
      if (d.ptx_line == 0) d = {file_of(s, info), info.source.line, info.ptx_line, 0, 0};
      d.branches += counts[i].warps;
      d.divergent += divergent;
    }
  }
  r.traffic = lines.take();
  for (auto& [key, d] : branches) r.divergence.push_back(std::move(d));
  for (auto& [key, line] : by_line) r.lines.push_back(std::move(line));
  for (const Worker& w : workers) {
    r.counts.barriers += w.barriers;
    r.counts.longest_warp = std::max(r.counts.longest_warp, w.longest_warp);
    r.printed += w.printed;
    r.sums += w.sums;
  }
  for (std::size_t b = 0; b < k.blocks.size(); ++b) {
    // One sum for all workers: shares of them would be rounded by who ran what.
    std::uint64_t times = 0;
    for (const Worker& w : workers) times += w.counts[b].warps;
    add_chain(r.counts.chain, k.blocks[b].chain, times);
  }
  if (!k.wait_loops.empty()) count_asking(k, workers, counts, r);
  r.may_wait = k.waits_for_blocks();
  r.shares_work = k.shares_work;
  r.stuck = s.stuck;
  r.unchecked = s.unchecked;
  if (s.ordering != nullptr && s.ordering->lost)
    r.unchecked.push_back({"order_between_blocks",
                           "more accesses and messages between blocks than the machine can keep: "
                           "those that came later were not checked for races"});
  if (s.vague)
    r.unchecked.push_back({"bytes_of_shared_words",
                           "several warps or blocks touched different bytes of one word: whether a "
                           "byte of it was touched by two of them was not followed"});
  find_hottest(r.counts, workers);
  merge_faults(r, workers);
  return r;
}

namespace {

/// The buffer or variable that an address belongs to, or the one before it.
void name_object(const Warp& w, Fault& f) {
  if (f.space == "global") {
    const Memory& memory = *w.worker->launch->memory;
    const Allocation* a = memory.nearest(f.address);
    const Allocation* above = memory.nearest_above(f.address);
    // Just before a buffer says more than far behind another one.
    const bool outside = a == nullptr || f.address >= a->end();
    if (outside && above != nullptr &&
        (a == nullptr || above->begin - f.address < f.address - a->end()))
      a = above;
    if (a == nullptr || f.address < 4096) return;
    f.object = a->name;
    f.offset = static_cast<std::int64_t>(f.address - a->begin);
  } else if (f.space == "shared") {
    const std::uint32_t end = w.kernel->static_shared_bytes;
    f.object = "dynamic shared memory";
    f.offset = static_cast<std::int64_t>(f.address) - end;
    for (const SharedVariable& v : w.kernel->shared) {
      if (f.address < v.offset || (f.address >= end && w.block->shared_bytes > end)) continue;
      f.object = v.name;
      f.offset = static_cast<std::int64_t>(f.address) - v.offset;
    }
  } else if (f.space == "local") {
    f.object = "local memory";
    f.offset = static_cast<std::int64_t>(f.address);
  }
}

/// On a device such a fault ends the kernel.
bool breaks(FaultKind kind) {
  return kind == FaultKind::out_of_bounds || kind == FaultKind::misaligned ||
         kind == FaultKind::use_after_free || kind == FaultKind::trap ||
         kind == FaultKind::assertion;
}

}  // namespace

void report(Warp& w, const Ins* i, FaultKind kind, std::uint32_t lane, Address address,
            std::string_view space, std::string_view detail) {
  const auto [it, fresh] = w.worker->faults.try_emplace({static_cast<int>(kind), i->id});
  Fault& f = it->second;
  if (!fresh) {
    ++f.occurrences;
    return;
  }
  if (breaks(kind)) w.worker->launch->broken.store(true, std::memory_order_relaxed);
  const InsInfo& info = w.kernel->info[i->id];
  f.kind = kind;
  f.kernel = w.kernel->name;
  f.file = file_of(*w.worker->launch, info);
  f.line = info.source.line;
  f.ptx_line = info.ptx_line;
  f.block = w.block->index;
  f.thread = thread_of(w, lane);
  f.address = address;
  f.space = std::string(space);
  f.detail = std::string(detail);
  name_object(w, f);
}

}  // namespace warpwright::simt
