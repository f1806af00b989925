// SPDX-License-Identifier: Apache-2.0
// Two writes of one value in no order have one outcome. What a store writes is known when it is
// done, in compiled code as in the interpreter; until then its report waits.
#include <algorithm>
#include <cstring>

#include "simt/checks/access.h"

namespace warpwright::simt {
namespace {

/// Copies put their data in place later.
bool writes_at_once(const Warp& w, const Ins* i) {
  const InsInfo& info = w.kernel->info[i->id];
  return (info.op_class == OpClass::store_global || info.op_class == OpClass::store_shared) &&
         info.text.find("async") == std::string_view::npos;
}

bool is_known(const Worker& worker, FaultKind kind, const Ins* i) {
  return worker.faults.contains({static_cast<int>(kind), i->id});
}

}  // namespace

void report_store_race(Warp& w, const Ins* i, FaultKind kind, u32 lane, const Stored& to,
                       const std::function<std::string()>& detail) {
  Worker& worker = *w.worker;
  const bool known = is_known(worker, kind, i) && is_known(worker, FaultKind::benign_race, i);
  std::string text = known ? std::string() : detail();
  if (!writes_at_once(w, i) || to.bytes > 16)
    return report(w, i, kind, lane, to.address, to.space, text);
  // The instruction may be a handler's changed copy, which does not last that long.
  const Ins* lasting = &w.kernel->code[i->id];
  StoreRace race{&w,       lasting,         lane,    kind, to.address,
                 to.space, std::move(text), to.host, {},   to.bytes};
  std::memcpy(race.before.data(), to.host, to.bytes);
  worker.store_races.push_back(std::move(race));
}

void settle_store_races(Worker& worker) {
  for (const StoreRace& r : worker.store_races) {
    const bool same = std::memcmp(r.before.data(), r.host, r.bytes) == 0;
    report(*r.warp, r.at, same ? FaultKind::benign_race : r.kind, r.lane, r.address, r.space,
           (same ? "the same value each time: " : "") + r.detail);
  }
  worker.store_races.clear();
}

}  // namespace warpwright::simt
