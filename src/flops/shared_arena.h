// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/files.h"
#include "base/result.h"
#include "simt/state/memory.h"

namespace warpwright::flop {

/// So much of the machine's memory is the program's, too.
inline constexpr std::uint64_t kArenaBytes = std::uint64_t{32} << 30;

/// The file in which the memory of a machine lies that another process maps, too. Whoever shares
/// it may change any byte at any time; the machine's own tables are not in it.
class SharedArena {
 public:
  /// Makes the file, sparse.
  static Result<SharedArena> create(const std::filesystem::path& path);

  /// Puts the file's pages in the place of the memory's own; before anything is allocated.
  void lay_under(simt::Memory& memory) const;
  /// Zeros, and gives the pages back.
  void forget(std::uint64_t offset, std::uint64_t bytes) const;

 private:
  explicit SharedArena(FileDescriptor file) : file_(std::move(file)) {}
  FileDescriptor file_;
};

}  // namespace warpwright::flop
