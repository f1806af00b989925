// SPDX-License-Identifier: Apache-2.0
// Linked with --wrap=cudaMalloc --wrap=cudaFree: scratch memory of a captured `solve` stays where it is.
#include "timing.cuh"

extern "C" cudaError_t __real_cudaMalloc(void** to, size_t bytes);
extern "C" cudaError_t __real_cudaFree(void* p);

namespace {

constexpr size_t kBytes = size_t(6) << 30, kAlignment = 256;
bool is_open = false;
char* memory = nullptr;
size_t used = 0;

}  // namespace

void open_arena() {
  if (memory == nullptr) need(__real_cudaMalloc((void**)&memory, kBytes), "arena");
  is_open = true;
}
void close_arena() { is_open = false; }

extern "C" cudaError_t __wrap_cudaMalloc(void** to, size_t bytes) {
  if (!is_open) return __real_cudaMalloc(to, bytes);
  const size_t room = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (used + room > kBytes) return cudaErrorMemoryAllocation;
  *to = memory + used;
  used += room;
  return cudaSuccess;
}

extern "C" cudaError_t __wrap_cudaFree(void* p) {
  const char* at = static_cast<const char*>(p);
  return memory != nullptr && at >= memory && at < memory + kBytes ? cudaSuccess : __real_cudaFree(p);
}
