// SPDX-License-Identifier: Apache-2.0
#include "report/text_pool.h"

#include "base/sha256.h"
#include "report/encoding.h"

namespace warpwright::report {

namespace {

// A block is unpacked whole for one text in it: a few milliseconds in a browser.
constexpr std::size_t kBlockBytes = std::size_t{512} << 10;

}  // namespace

int TextPool::add(std::string_view text) {
  const auto [entry, fresh] =
      known_.try_emplace(sha256_hex(text), static_cast<int>(places_.size()));
  if (!fresh) return entry->second;
  if (blocks_.empty() ||
      (blocks_.back().size() + text.size() > kBlockBytes && !blocks_.back().empty())) {
    blocks_.emplace_back();
  }
  places_.push_back({blocks_.size() - 1, blocks_.back().size(), text.size()});
  blocks_.back() += text;
  return entry->second;
}

std::vector<std::string> TextPool::blocks() const {
  std::vector<std::string> packed;
  packed.reserve(blocks_.size());
  for (const auto& block : blocks_) packed.push_back(base64(deflated(block)));
  return packed;
}

}  // namespace warpwright::report
