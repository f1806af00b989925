// SPDX-License-Identifier: Apache-2.0
#include "simt/native/native.h"

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "simt/checks/access.h"
#include "simt/ops/handlers.h"

namespace warpwright::simt {
namespace {

static_assert(sizeof(bool) == 1);  // compiled code reads them as bytes

const Ins* slow(Warp* w, std::uint32_t id) {
  return w->kernel->native->original[id](*w, w->kernel->code.data() + id);
}

const Ins* fuel_is_out(Warp* w, std::uint32_t id) {
  return out_of_fuel(*w, w->kernel->code.data() + id);
}

void check(Warp* w, std::uint32_t id, std::uint64_t at, std::uint64_t span) {
  const AccessForm& a = w->kernel->info[id].form;
  const Ins* i = w->kernel->code.data() + id;
  const Access kind = a.is_load ? Access::load : Access::store;
  check_shared_run(*w, i, at, span, a.lane_bytes(), kind);
}

void check_global_access(Warp* w, const AccessMemo* memo, std::uint32_t id, std::uint64_t at,
                         std::uint32_t span, std::uint32_t bytes, std::uint32_t writes) {
  check_global_run(*w, w->kernel->code.data() + id, at, span, bytes,
                   writes != 0 ? Access::store : Access::load, *memo);
}

/// Words of shared memory at equal distances.
void check_strided(Warp* w, std::uint32_t id, std::uint64_t at, std::uint64_t step) {
  const bool loads = w->kernel->info[id].form.is_load;
  u64 a[kLanes];
  for (u32 l = 0; l < kLanes; ++l) a[l] = at + l * step;
  check_shared(*w, w->kernel->code.data() + id, a, kAllLanes, 4,
               loads ? Access::load : Access::store);
}

std::uint32_t loads_clean(Warp* w, std::uint32_t id, std::uint64_t at, std::uint64_t span,
                          std::uint32_t uniform) {
  const AccessForm& a = w->kernel->info[id].form;
  return shared_loads_clean(*w, w->kernel->code.data() + id, at, span, a.lane_bytes(), uniform != 0)
             ? 1
             : 0;
}

void one(Warp* w, std::uint32_t id) {
  const Ins* i = w->kernel->native->alone.data() + 2 * std::size_t{id};
  i->run(*w, i);
}

const Ins* exit_all(Warp* w) {
  if (w->live != kAllLanes || w->splits.size() != 1) return exit_lanes(*w, kAllLanes, nullptr);
  // The warp was never divided: nobody waits for anybody.
  w->live = w->mask = 0;
  w->block->live_threads -= kLanes;
  w->splits[0].state = Split::State::free;
  w->current = -1;
  return nullptr;
}

/// Ends a chain of arithmetic handlers.
const Ins* run_stop(Warp&, const Ins*) { return nullptr; }

/// An entry point: compiled code for whole warps, the handler for parts of them.
const Ins* run_native(Warp& w, const Ins* i) {
  const NativeCode& code = *w.kernel->native;
  if (w.mask != kAllLanes || w.reconverge != kNoBlock) return code.original[i->id](w, i);
  return code.run(&w, code.entry_of[i->id]);
}

Result<std::unique_ptr<NativeCode>> make_code(const std::shared_ptr<const Program>& program,
                                              const Kernel& kernel, const NativeVariant& variant) {
  const auto started = std::chrono::steady_clock::now();
  auto code = std::make_unique<NativeCode>();
  WW_TRY(code->text, native_text(kernel, variant));
  WW_TRY(code->library, compile_native(code->text.source));
  code->run =
      reinterpret_cast<const Ins* (*)(Warp*, std::uint32_t)>(code->library.symbol("kernel"));
  if (code->run == nullptr) return Error{"a compiled kernel without its function"};
  code->program = program;
  code->kernel = kernel;
  code->kernel.native = code.get();
  code->alone.resize(2 * kernel.code.size());
  for (std::size_t id = 0; id < kernel.code.size(); ++id) {
    code->original.push_back(kernel.code[id].run);
    // Compiled code leaves no patterns of addresses behind for the handlers.
    if (kernel.info[id].memory_form() != nullptr) code->kernel.code[id].aux2 = 0;
    code->alone[2 * id] = code->kernel.code[id];
    code->alone[2 * id + 1].run = run_stop;
  }
  code->entry_of.assign(kernel.code.size(), 0);
  for (std::size_t e = 0; e < code->text.entries.size(); ++e) {
    code->entry_of[code->text.entries[e]] = static_cast<std::uint32_t>(e);
    code->kernel.code[code->text.entries[e]].run = run_native;
  }
  code->compile_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return code;
}

}  // namespace

Result<const NativeCode*> NativeCache::get(const std::shared_ptr<const Program>& program,
                                           const Kernel& kernel, const NativeVariant& variant) {
  const Key key{&kernel, variant};
  if (const auto it = codes_.find(key); it != codes_.end()) return it->second.get();
  if (const auto it = refused_.find(key); it != refused_.end()) return Error{it->second};
  Result<std::unique_ptr<NativeCode>> made = make_code(program, kernel, variant);
  if (!made.ok()) {
    refused_[key] = made.error().message;
    return made.error();
  }
  return codes_.emplace(key, std::move(made).value()).first->second.get();
}

NativeVariant variant_for(const Launch& launch) {
  const bool flat = launch.block.y == 1 && launch.block.z == 1;
  return {launch.block.x % kLanes == 0 || flat, launch.options.checks};
}

void prepare_native(Worker& worker, const NativeCode& code) {
  LaunchState& launch = *worker.launch;
  worker.kernel = &code.kernel;
  // How often groups of accesses were made, then single ones of groups that were cut short.
  worker.hits.assign(2 * code.kernel.code.size(), 0);
  worker.native =
      std::make_shared<NativeState>(NativeState{slow,
                                                fuel_is_out,
                                                check,
                                                check_global_access,
                                                check_strided,
                                                loads_clean,
                                                one,
                                                exit_all,
                                                code.kernel.code.data(),
                                                worker.memos.data(),
                                                worker.stats.data(),
                                                worker.hits.data(),
                                                launch.memory->host(kGlobalBase),
                                                {launch.touched_read, launch.touched_written},
                                                launch.memory->valid_bits(),
                                                launch.race_lines,
                                                launch.many_threads ? 1u : 0u});
}

void merge_native(Worker& worker, const NativeCode& code) {
  if (worker.native == nullptr) return;
  for (std::size_t id = 0; id < code.original.size(); ++id) {
    if (code.text.counted_by[id] == kNoBlock) continue;
    const std::uint64_t n =
        worker.hits[code.text.counted_by[id]] + worker.hits[code.original.size() + id];
    const AccessForm& a = code.kernel.info[id].form;
    const std::uint32_t bytes = a.lane_bytes();
    AccessStats& s = worker.stats[code.kernel.code[id].target];
    if (a.space == Space::shared) {
      // As the interpreter: simple accesses are always counted, others when counts are wanted.
      if (code.text.passes[id] != 0 && !worker.launch->counts) continue;
      const std::uint64_t least = code.text.uniform[id] || bytes < 4 ? 1 : bytes / 4;
      const std::uint64_t passes = std::max<std::uint64_t>(least, code.text.passes[id]);
      s.shared_requests += n;
      s.shared_lanes += kLanes * n;
      s.wavefronts += passes * n;
      s.ideal_wavefronts += least * n;
    } else if (worker.launch->counts) {
      s.requests += n;
      s.lanes += kLanes * n;
      s.bytes += std::uint64_t{bytes} * kLanes * n;
    }
  }
}

}  // namespace warpwright::simt
