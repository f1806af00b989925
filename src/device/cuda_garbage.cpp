// SPDX-License-Identifier: Apache-2.0
#include "device/cuda_garbage.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "device/poison.h"

namespace warpwright::device {

namespace {

constexpr unsigned kSharedThreads = 1024;
constexpr unsigned kLocalThreads = 256;
constexpr std::uint64_t kLeastLocal = 64;

/// A kernel that fills `bytes` of `room`, each thread every `step`-th byte from its own on. What it
/// writes depends on the key, the block and the thread. One word of it is read, and the smallest of
/// all goes to the sink: else an assembler might leave the stores out.
std::string filling_kernel(std::string_view outside, std::string_view inside,
                           std::string_view space, std::uint64_t bytes, std::uint64_t step,
                           std::string_view first) {
  std::string ptx = ".version 7.0\n.target sm_50\n.address_size 64\n";
  ptx += outside;
  ptx +=
      ".visible .entry fill(.param .u64 key, .param .u64 sink, .param .u32 keep, .param .u32 set)\n"
      "{\n";
  ptx += inside;
  ptx +=
      "  .reg .pred %p;\n  .reg .b32 %x, %y, %t, %b, %keep, %set;\n  .reg .b64 %k, %i, %a, %room, "
      "%sink;\n"
      "  ld.param.u32 %keep, [keep];\n  ld.param.u32 %set, [set];\n"
      "  ld.param.u64 %k, [key];\n  mov.u32 %t, %tid.x;\n  mov.u32 %b, %ctaid.x;\n"
      "  cvt.u32.u64 %x, %k;\n  mad.lo.u32 %x, %b, 0x9E3779B9, %x;\n"
      "  mad.lo.u32 %x, %t, 0x85EBCA6B, %x;\n  mov.u64 %room, room;\n";
  ptx += first;
  ptx += "MORE:\n  setp.ge.u64 %p, %i, " + std::to_string(bytes) + ";\n  @%p bra END;\n";
  ptx += "  mad.lo.u32 %x, %x, 1664525, 1013904223;\n  add.u64 %a, %room, %i;\n";
  ptx += "  and.b32 %y, %x, %keep;\n  or.b32 %y, %y, %set;\n";
  ptx += "  st." + std::string(space) + ".u32 [%a], %y;\n";
  ptx += "  add.u64 %i, %i, " + std::to_string(step) + ";\n  bra MORE;\nEND:\n";
  ptx += "  and.b64 %i, %k, " + std::to_string(std::bit_floor(bytes) - 4) + ";\n";
  ptx += "  add.u64 %a, %room, %i;\n  ld." + std::string(space) + ".u32 %x, [%a];\n";
  ptx += "  ld.param.u64 %sink, [sink];\n  red.global.min.u32 [%sink], %x;\n  ret;\n}\n";
  return ptx;
}

}  // namespace

Result<std::unique_ptr<CudaGarbage>> CudaGarbage::make(const CudaDriver& driver, int sm_count,
                                                       int threads_per_sm, int shared_bytes) {
  std::unique_ptr<CudaGarbage> garbage(new CudaGarbage(driver));
  garbage->sms_ = static_cast<unsigned>(std::max(sm_count, 1));
  garbage->threads_per_sm_ = static_cast<unsigned>(std::max<int>(threads_per_sm, kLocalThreads));
  garbage->shared_bytes_ = static_cast<unsigned>(std::max(shared_bytes, 0)) / 4 * 4;
  WW_TRY(garbage->shared_,
         garbage->load(filling_kernel(".extern .shared .align 16 .b8 room[];\n", "", "shared",
                                      garbage->shared_bytes_, 4 * kSharedThreads,
                                      "  shl.b32 %t, %t, 2;\n  cvt.u64.u32 %i, %t;\n")));
  WW_CHECK(driver.check(driver.memory_alloc(&garbage->sink_, sizeof(std::uint64_t)),
                        "allocate memory for garbage"));
  if (driver.function_set_attribute(garbage->shared_.function, kCuFuncMaxDynamicShared,
                                    static_cast<int>(garbage->shared_bytes_)) != 0) {
    garbage->shared_bytes_ = 0;
  }
  return garbage;
}

CudaGarbage::~CudaGarbage() {
  if (sink_ != 0) driver_.memory_free(sink_);
  if (shared_.module != nullptr) driver_.module_unload(shared_.module);
  for (const auto& [bytes, kernel] : local_) driver_.module_unload(kernel.module);
}

Result<CudaGarbage::Kernel> CudaGarbage::load(const std::string& ptx) {
  Kernel kernel;
  WW_CHECK(driver_.check(driver_.module_load(&kernel.module, ptx.c_str(), 0, nullptr, nullptr),
                         "load the judge's own kernel"));
  WW_CHECK(driver_.check(driver_.module_function(&kernel.function, kernel.module, "fill"),
                         "load the judge's own kernel"));
  return kernel;
}

Status CudaGarbage::launch(CuFunction function, unsigned blocks, unsigned threads, unsigned shared,
                           std::uint64_t key, CuStream stream) {
  const CuLaunchConfig config{blocks, 1, 1, threads, 1, 1, shared, stream, nullptr, 0};
  const PoisonKind kind = poison_kind(key, false);
  struct {
    std::uint64_t key, sink;
    std::uint32_t keep, set;
  } parameters = {key, sink_, kind.keep, kind.set};
  std::size_t size = sizeof parameters;
  std::array<void*, 5> extra = {reinterpret_cast<void*>(1), &parameters, reinterpret_cast<void*>(2),
                                &size, nullptr};
  return driver_.check(driver_.launch(&config, function, nullptr, extra.data()),
                       "fill memory with garbage");
}

Status CudaGarbage::fill_shared(std::uint64_t key, CuStream stream) {
  if (shared_bytes_ == 0) return {};
  // A block takes all of an SM's, so each SM gets one.
  return launch(shared_.function, sms_, kSharedThreads, shared_bytes_, key, stream);
}

Status CudaGarbage::fill_local(std::uint64_t bytes, std::uint64_t key, CuStream stream) {
  if (bytes == 0) return {};
  const std::uint64_t rounded = std::bit_ceil(std::max(bytes, kLeastLocal));
  Kernel& kernel = local_[rounded];
  if (kernel.function == nullptr) {
    const std::string room = "  .local .align 16 .b8 room[" + std::to_string(rounded) + "];\n";
    WW_TRY(kernel, load(filling_kernel("", room, "local", rounded, 4, "  mov.u64 %i, 0;\n")));
  }
  return launch(kernel.function, sms_ * (threads_per_sm_ / kLocalThreads), kLocalThreads, 0, key,
                stream);
}

}  // namespace warpwright::device
