// SPDX-License-Identifier: Apache-2.0
#include "flops/shared_arena.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace warpwright::flop {

Result<SharedArena> SharedArena::create(const std::filesystem::path& path) {
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.valid() || ::ftruncate(file.get(), static_cast<off_t>(kArenaBytes)) != 0)
    return Error{"cannot make " + path.string() + ": " + std::strerror(errno)};
  ::chmod(path.c_str(), 0666);
  return SharedArena(std::move(file));
}

void SharedArena::lay_under(simt::Memory& memory) const {
  ASSERT(memory.allocations().empty() && memory.arena_bytes() >= kArenaBytes,
         "the arena comes before what lies in it");
  std::byte* const place = memory.host(simt::kGlobalBase);
  void* const got = ::mmap(place, kArenaBytes, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file_.get(), 0);
  ASSERT(got == place, "pages of a file in the place of others");
  ::madvise(place, kArenaBytes, MADV_DONTDUMP);
}

void SharedArena::forget(std::uint64_t offset, std::uint64_t bytes) const {
  if (bytes == 0) return;
  ::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
              static_cast<off_t>(bytes));
}

}  // namespace warpwright::flop
