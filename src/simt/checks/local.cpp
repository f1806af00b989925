// SPDX-License-Identifier: Apache-2.0
// Reads of local memory that the thread never wrote: a bit per byte.
#include <fmt/format.h>

#include "simt/checks/access.h"

namespace warpwright::simt {

void check_local(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Access kind) {
  const u32 size = w.kernel->local_bytes;
  std::uint8_t* bits = w.block->local_valid.data();
  for (u32 l = 0; l < kLanes; ++l) {
    if ((m >> l & 1) == 0) continue;
    const u64 at = (u64{w.index} * kLanes + l) * size + a[l];
    if (kind != Access::load) {
      set_bits(bits, at, bytes, true);
      continue;
    }
    if (all_bits(bits, at, bytes)) continue;
    report_lazily(w, i, FaultKind::uninitialised_read, l, a[l], "local", [&] {
      return fmt::format("byte {} of the thread's local memory was never written", a[l]);
    });
  }
}

}  // namespace warpwright::simt
