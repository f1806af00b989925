// SPDX-License-Identifier: Apache-2.0
#include "device/cuda_staging.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

#include "base/cores.h"

namespace warpwright::device {

namespace {

constexpr std::size_t kChunkBytes = std::size_t{8} << 20;
// One core copies less than the bus moves, and more than a few do not help. Threads are worth it
// for large buffers only: on a busy machine they take a while to start.
constexpr std::size_t kBytesPerThread = std::size_t{2} << 20;
constexpr std::size_t kLargeBytes = std::size_t{64} << 20;

void copy_by_threads(std::byte* to, const std::byte* from, std::size_t bytes, bool large) {
  const std::size_t most = large ? static_cast<std::size_t>(std::max(1, usable_cores() / 2)) : 1;
  const std::size_t threads = std::clamp<std::size_t>(bytes / kBytesPerThread, 1, most);
  std::vector<std::jthread> helpers;
  for (std::size_t t = 1; t < threads; ++t) {
    const std::size_t first = bytes * t / threads, last = bytes * (t + 1) / threads;
    helpers.emplace_back([=] { std::memcpy(to + first, from + first, last - first); });
  }
  std::memcpy(to, from, bytes / threads);
}

}  // namespace

Result<std::unique_ptr<CudaStaging>> CudaStaging::make(const CudaDriver& driver) {
  std::unique_ptr<CudaStaging> staging(new CudaStaging(driver));
  for (Chunk& chunk : staging->ring_) {
    void* memory = nullptr;
    WW_CHECK(driver.check(driver.host_alloc(&memory, kChunkBytes), "allocate pinned memory"));
    chunk.memory = static_cast<std::byte*>(memory);
    WW_CHECK(driver.check(driver.event_create(&chunk.free, 0), "create an event"));
  }
  return staging;
}

CudaStaging::~CudaStaging() {
  for (const Chunk& chunk : ring_) {
    if (chunk.free != nullptr) driver_.event_destroy(chunk.free);
    if (chunk.memory != nullptr) driver_.host_free(chunk.memory);
  }
}

// All uploads and downloads are on one stream: only this side has to wait for a chunk, before it is
// written again. An event that was never recorded is over.
Status CudaStaging::upload(CuAddress to, std::span<const std::byte> bytes, CuStream stream) {
  for (std::size_t at = 0; at < bytes.size(); at += kChunkBytes) {
    const std::size_t count = std::min(kChunkBytes, bytes.size() - at);
    const Chunk& chunk = ring_[turn_++ % kChunks];
    WW_CHECK(driver_.check(driver_.event_synchronize(chunk.free), "upload to the GPU"));
    copy_by_threads(chunk.memory, bytes.data() + at, count, bytes.size() >= kLargeBytes);
    WW_CHECK(driver_.check(driver_.copy_to_device_async(to + at, chunk.memory, count, stream),
                           "upload to the GPU"));
    WW_CHECK(driver_.check(driver_.event_record(chunk.free, stream), "upload to the GPU"));
  }
  return {};
}

Status CudaStaging::download(std::span<std::byte> to, CuAddress from, CuStream stream) {
  const std::size_t chunks = (to.size() + kChunkBytes - 1) / kChunkBytes;
  const auto part = [&](std::size_t n) {
    return to.subspan(n * kChunkBytes, std::min(kChunkBytes, to.size() - n * kChunkBytes));
  };
  const auto start = [&](std::size_t n) -> Status {
    const Chunk& chunk = ring_[n % kChunks];
    WW_CHECK(driver_.check(
        driver_.copy_to_host_async(chunk.memory, from + n * kChunkBytes, part(n).size(), stream),
        "download from the GPU"));
    return driver_.check(driver_.event_record(chunk.free, stream), "download from the GPU");
  };
  for (std::size_t n = 0; n < std::min(chunks, kChunks); ++n) WW_CHECK(start(n));
  for (std::size_t n = 0; n < chunks; ++n) {
    const Chunk& chunk = ring_[n % kChunks];
    WW_CHECK(driver_.check(driver_.event_synchronize(chunk.free), "download from the GPU"));
    copy_by_threads(part(n).data(), chunk.memory, part(n).size(), to.size() >= kLargeBytes);
    if (n + kChunks < chunks) WW_CHECK(start(n + kChunks));
  }
  return {};
}

}  // namespace warpwright::device
