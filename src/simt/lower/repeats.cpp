// SPDX-License-Identifier: Apache-2.0
#include "simt/lower/repeats.h"

#include <algorithm>
#include <vector>

namespace warpwright::simt {
namespace {

struct Base {
  Ref ref;
  std::uint32_t bytes;
  std::uint32_t first;  ///< the instruction that finds the pattern
  std::uint32_t row;
};

}  // namespace

void mark_repeats(Kernel& k) {
  for (std::size_t b = 0; b < k.blocks.size(); ++b) {
    const std::size_t end = b + 1 < k.blocks.size() ? k.blocks[b + 1].first : k.code.size();
    std::vector<Base> known;
    std::uint32_t rows = 0;
    for (std::size_t id = k.blocks[b].first; id < end; ++id) {
      Ins& i = k.code[id];
      if (const AccessForm* a = k.info[id].memory_form(); a != nullptr) {
        const std::uint32_t bytes = a->lane_bytes();
        const auto same = [&](const Base& x) { return x.ref == i.a && x.bytes == bytes; };
        const auto it = std::find_if(known.begin(), known.end(), same);
        if (it != known.end()) {
          if (it->row == kPatternRows && rows < kPatternRows) {
            it->row = rows++;
            k.code[it->first].aux2 = kFindsPattern | it->row;
          }
          if (it->row < kPatternRows) i.aux2 = kKnowsPattern | it->row;
        } else {
          known.push_back({i.a, bytes, static_cast<std::uint32_t>(id), kPatternRows});
        }
      }
      const auto written = [&](Ref r) {
        std::erase_if(known, [&](const Base& x) { return x.ref == r; });
      };
      written(i.d);
      for (std::uint32_t m = 0; m < k.info[id].more_defs; ++m) written(i.more[m]);
    }
  }
}

}  // namespace warpwright::simt
