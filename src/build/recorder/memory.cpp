// SPDX-License-Identifier: Apache-2.0
// Allocation, memset, copies and symbols.
#include <cstdlib>
#include <cstring>

#include "recorder.h"

using namespace ww_recorder;

namespace {

constexpr const char* kHostRead =
    "reads device memory on the host. The kernel has not run when solve runs, so no value can "
    "depend on it: keep the decision on the device";

/// An allocation that the host waits for has no stream.
cudaError_t allocate(void** pointer, std::size_t size, Stream* stream, const char* api,
                     const void* caller) {
  State& s = state();
  if (pointer == nullptr) return failed(cudaErrorInvalidValue);
  *pointer = nullptr;
  if (size == 0) return cudaSuccess;
  if (s.streams.capturing()) unsupported(api, "allocates while a stream is captured", caller);
  const auto room = static_cast<std::uint64_t>(fact("memory_bytes"));
  if (size > kMaxBufferBytes || s.allocated + size > room) return failed(cudaErrorMemoryAllocation);
  s.allocated += size;
  Buffer buffer;
  buffer.bytes = size;
  const int index = add_buffer(std::move(buffer));
  Wire step;
  step.u8(static_cast<std::uint8_t>(WireStep::allocate)).u32(static_cast<std::uint32_t>(index));
  if (stream != nullptr) {
    add_step(*stream, step);
  } else {
    s.streams.queue_of_host(false, step.bytes);
  }
  *pointer = reinterpret_cast<void*>(s.buffers.back().address);
  return cudaSuccess;
}

cudaError_t release(void* pointer, Stream* stream, const char* api, const void* caller) {
  if (pointer == nullptr) return cudaSuccess;
  const int index = buffer_at(pointer, 0, api, caller);
  Buffer& buffer = state().buffers[static_cast<std::size_t>(index)];
  if (buffer.kind != WireBuffer::scratch) {
    unsupported(api, "frees memory that solve did not allocate", caller);
  }
  if (reinterpret_cast<std::uintptr_t>(pointer) != buffer.address) {
    return failed(cudaErrorInvalidValue);
  }
  if (state().streams.capturing()) unsupported(api, "frees while a stream is captured", caller);
  buffer.live = false;
  state().allocated -= buffer.bytes;
  Wire step;
  step.u8(static_cast<std::uint8_t>(WireStep::free)).u32(static_cast<std::uint32_t>(index));
  if (stream != nullptr) {
    add_step(*stream, step);
  } else {
    state().streams.queue_of_host(true, step.bytes);
  }
  return cudaSuccess;
}

std::uint64_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

/// The bytes from the first to the last byte of rows of `width`, `pitch` apart.
std::uint64_t extent(std::uint64_t width, std::uint64_t height, std::uint64_t pitch) {
  if (height == 0 || width == 0) return 0;
  if (height > 1 && pitch != 0 && (height - 1) > kMaxBufferBytes / pitch)
    return kMaxBufferBytes + 1;
  return (height - 1) * pitch + width;
}

cudaError_t set(void* pointer, std::size_t pitch, int value, std::size_t width, std::size_t height,
                Stream& stream, const char* api, const void* caller) {
  if (width == 0 || height == 0) return cudaSuccess;
  if (height > 1 && pitch < width) return failed(cudaErrorInvalidPitchValue);
  buffer_at(pointer, extent(width, height, pitch), api, caller);
  Wire step;
  step.u8(static_cast<std::uint8_t>(WireStep::memset)).u64(address(pointer));
  step.u32(static_cast<unsigned>(value) & 0xFF).u64(width).u64(height).u64(pitch);
  add_step(stream, step);
  return cudaSuccess;
}

struct Copy {
  void* destination;
  std::size_t destination_pitch;
  const void* source;
  std::size_t source_pitch;
  std::size_t width;
  std::size_t height;
  Stream& stream;
  bool host_waits;  ///< for a copy from its memory
};

cudaError_t upload(const Copy& copy, const char* api, const void* caller) {
  buffer_at(copy.destination, extent(copy.width, copy.height, copy.destination_pitch), api, caller);
  if (copy.width > kMaxUpload || copy.height > kMaxUpload / copy.width) {
    unsupported(api, "copies more than 32 MiB from the host", caller);
  }
  Wire step;
  step.u8(static_cast<std::uint8_t>(WireStep::upload)).u64(address(copy.destination));
  step.u64(copy.height).u64(copy.destination_pitch).u64(copy.width * copy.height);
  for (std::size_t row = 0; row < copy.height; ++row) {
    step.raw(static_cast<const char*>(copy.source) + row * copy.source_pitch, copy.width);
  }
  add_step(copy.stream, step);
  if (copy.host_waits) state().streams.host_waits_for(copy.stream);
  return cudaSuccess;
}

cudaError_t device_copy(const Copy& copy, const char* api, const void* caller) {
  buffer_at(copy.destination, extent(copy.width, copy.height, copy.destination_pitch), api, caller);
  buffer_at(copy.source, extent(copy.width, copy.height, copy.source_pitch), api, caller);
  Wire step;
  step.u8(static_cast<std::uint8_t>(WireStep::copy)).u64(address(copy.destination));
  step.u64(address(copy.source)).u64(copy.width).u64(copy.height);
  step.u64(copy.destination_pitch).u64(copy.source_pitch);
  add_step(copy.stream, step);
  return cudaSuccess;
}

/// With one address space the pointers themselves tell the direction; the stated one must agree.
cudaError_t copy_any(const Copy& copy, cudaMemcpyKind kind, const char* api, const void* caller) {
  const bool to_device = is_device(copy.destination);
  const bool from_device = is_device(copy.source);
  if (kind == cudaMemcpyDeviceToHost || (from_device && !to_device)) {
    unsupported(api, kHostRead, caller);
  }
  const cudaMemcpyKind found =
      to_device ? (from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice)
                : cudaMemcpyHostToHost;
  if (kind != cudaMemcpyDefault && kind != found) {
    unsupported(api, "the direction does not match the pointers (cudaErrorInvalidValue)", caller);
  }
  if (copy.width == 0 || copy.height == 0) return cudaSuccess;
  if (copy.height > 1 && (copy.destination_pitch < copy.width || copy.source_pitch < copy.width)) {
    return failed(cudaErrorInvalidPitchValue);
  }
  if (found == cudaMemcpyHostToDevice) return upload(copy, api, caller);
  if (found == cudaMemcpyDeviceToDevice) return device_copy(copy, api, caller);
  for (std::size_t row = 0; row < copy.height; ++row) {
    std::memmove(static_cast<char*>(copy.destination) + row * copy.destination_pitch,
                 static_cast<const char*>(copy.source) + row * copy.source_pitch, copy.width);
  }
  return cudaSuccess;
}

cudaError_t copy_flat(void* destination, const void* source, std::size_t count, cudaMemcpyKind kind,
                      const char* api, const void* caller) {
  Stream& stream = stream_of(nullptr, api, caller);
  return copy_any({destination, count, source, count, count, 1, stream, true}, kind, api, caller);
}

cudaError_t copy_queued(void* destination, const void* source, std::size_t count,
                        cudaMemcpyKind kind, cudaStream_t handle, const char* api,
                        const void* caller) {
  Stream& stream = stream_of(handle, api, caller);
  return copy_any({destination, count, source, count, count, 1, stream, false}, kind, api, caller);
}

Variable* variable_of(const void* symbol) {
  const auto it = state().variables.find(symbol);
  if (it == state().variables.end()) return nullptr;
  Variable& variable = it->second;
  if (variable.buffer < 0) {
    Buffer buffer;
    buffer.kind = WireBuffer::symbol;
    buffer.symbol = variable.name;
    buffer.bytes = variable.bytes;
    variable.buffer = add_buffer(std::move(buffer));
  }
  return &variable;
}

char* symbol_address(const Variable& variable) {
  return reinterpret_cast<char*>(
      state().buffers[static_cast<std::size_t>(variable.buffer)].address);
}

}  // namespace

WW_API cudaError_t cudaMalloc(void** pointer, size_t size) {
  return allocate(pointer, size, nullptr, "cudaMalloc", WW_CALLER);
}
WW_API cudaError_t cudaMallocAsync(void** pointer, size_t size, cudaStream_t handle) {
  Stream& stream = stream_of(handle, "cudaMallocAsync", WW_CALLER);
  return allocate(pointer, size, &stream, "cudaMallocAsync", WW_CALLER);
}
WW_API cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t size, cudaMemPool_t,
                                           cudaStream_t handle) {
  Stream& stream = stream_of(handle, "cudaMallocFromPoolAsync", WW_CALLER);
  return allocate(pointer, size, &stream, "cudaMallocFromPoolAsync", WW_CALLER);
}
WW_API cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  if (pitch == nullptr || width > kMaxBufferBytes) return failed(cudaErrorInvalidValue);
  *pitch = (width + 511) / 512 * 512;
  if (*pitch != 0 && height > kMaxBufferBytes / *pitch) return failed(cudaErrorMemoryAllocation);
  return allocate(pointer, *pitch * height, nullptr, "cudaMallocPitch", WW_CALLER);
}
WW_API cudaError_t cudaMallocManaged(void**, size_t, unsigned) {
  unsupported("cudaMallocManaged", "managed memory is not supported; use cudaMalloc", WW_CALLER);
}
WW_API cudaError_t cudaFree(void* pointer) {
  return release(pointer, nullptr, "cudaFree", WW_CALLER);
}
WW_API cudaError_t cudaFreeAsync(void* pointer, cudaStream_t handle) {
  Stream& stream = stream_of(handle, "cudaFreeAsync", WW_CALLER);
  return release(pointer, &stream, "cudaFreeAsync", WW_CALLER);
}
WW_API cudaError_t cudaHostAlloc(void** pointer, size_t size, unsigned) {
  *pointer = std::calloc(size == 0 ? 1 : size, 1);
  return *pointer == nullptr ? failed(cudaErrorMemoryAllocation) : cudaSuccess;
}
WW_API cudaError_t cudaMallocHost(void** pointer, size_t size) {
  return cudaHostAlloc(pointer, size, 0);
}
WW_API cudaError_t cudaFreeHost(void* pointer) {
  std::free(pointer);
  return cudaSuccess;
}
WW_API cudaError_t cudaHostRegister(void*, size_t, unsigned) { return cudaSuccess; }
WW_API cudaError_t cudaHostUnregister(void*) { return cudaSuccess; }
WW_API cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total) {
  constexpr std::uint64_t kGranule = std::uint64_t{2} << 20, kContext = std::uint64_t{600} << 20;
  std::uint64_t used = kContext;
  for (const Buffer& buffer : state().buffers) {
    if (buffer.live) used += (buffer.bytes + kGranule - 1) / kGranule * kGranule;
  }
  *total = static_cast<size_t>(fact("memory_bytes"));
  *free_bytes = used < *total ? *total - used : 0;
  return cudaSuccess;
}
WW_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
  static char place[64];
  *pool = reinterpret_cast<cudaMemPool_t>(place);
  return cudaSuccess;
}
WW_API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes,
                                            const void* pointer) {
  *attributes = {};
  const bool device = is_device(pointer);
  attributes->type = device ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
  attributes->devicePointer = device ? const_cast<void*>(pointer) : nullptr;
  return cudaSuccess;
}

WW_API cudaError_t cudaMemset(void* pointer, int value, size_t count) {
  return set(pointer, count, value, count, 1, stream_of(nullptr, "cudaMemset", WW_CALLER),
             "cudaMemset", WW_CALLER);
}
WW_API cudaError_t cudaMemsetAsync(void* pointer, int value, size_t count, cudaStream_t stream) {
  return set(pointer, count, value, count, 1, stream_of(stream, "cudaMemsetAsync", WW_CALLER),
             "cudaMemsetAsync", WW_CALLER);
}
WW_API cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width,
                                size_t height) {
  return set(pointer, pitch, value, width, height, stream_of(nullptr, "cudaMemset2D", WW_CALLER),
             "cudaMemset2D", WW_CALLER);
}
WW_API cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width,
                                     size_t height, cudaStream_t stream) {
  return set(pointer, pitch, value, width, height,
             stream_of(stream, "cudaMemset2DAsync", WW_CALLER), "cudaMemset2DAsync", WW_CALLER);
}
WW_API cudaError_t cudaMemcpy(void* destination, const void* source, size_t count,
                              cudaMemcpyKind kind) {
  return copy_flat(destination, source, count, kind, "cudaMemcpy", WW_CALLER);
}
WW_API cudaError_t cudaMemcpyAsync(void* destination, const void* source, size_t count,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_queued(destination, source, count, kind, stream, "cudaMemcpyAsync", WW_CALLER);
}
WW_API cudaError_t cudaMemcpy2D(void* destination, size_t destination_pitch, const void* source,
                                size_t source_pitch, size_t width, size_t height,
                                cudaMemcpyKind kind) {
  Stream& stream = stream_of(nullptr, "cudaMemcpy2D", WW_CALLER);
  return copy_any(
      {destination, destination_pitch, source, source_pitch, width, height, stream, true}, kind,
      "cudaMemcpy2D", WW_CALLER);
}
WW_API cudaError_t cudaMemcpy2DAsync(void* destination, size_t destination_pitch,
                                     const void* source, size_t source_pitch, size_t width,
                                     size_t height, cudaMemcpyKind kind, cudaStream_t handle) {
  Stream& stream = stream_of(handle, "cudaMemcpy2DAsync", WW_CALLER);
  return copy_any(
      {destination, destination_pitch, source, source_pitch, width, height, stream, false}, kind,
      "cudaMemcpy2DAsync", WW_CALLER);
}

WW_API cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* source, size_t count,
                                      size_t offset, cudaMemcpyKind) {
  const Variable* variable = variable_of(symbol);
  if (variable == nullptr) return failed(cudaErrorInvalidSymbol);
  return copy_flat(symbol_address(*variable) + offset, source, count, cudaMemcpyDefault,
                   "cudaMemcpyToSymbol", WW_CALLER);
}
WW_API cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* source, size_t count,
                                           size_t offset, cudaMemcpyKind, cudaStream_t stream) {
  const Variable* variable = variable_of(symbol);
  if (variable == nullptr) return failed(cudaErrorInvalidSymbol);
  return copy_queued(symbol_address(*variable) + offset, source, count, cudaMemcpyDefault, stream,
                     "cudaMemcpyToSymbolAsync", WW_CALLER);
}
WW_API cudaError_t cudaMemcpyFromSymbol(void* destination, const void* symbol, size_t count,
                                        size_t offset, cudaMemcpyKind) {
  const Variable* variable = variable_of(symbol);
  if (variable == nullptr) return failed(cudaErrorInvalidSymbol);
  return copy_flat(destination, symbol_address(*variable) + offset, count, cudaMemcpyDefault,
                   "cudaMemcpyFromSymbol", WW_CALLER);
}
WW_API cudaError_t cudaMemcpyFromSymbolAsync(void* destination, const void* symbol, size_t count,
                                             size_t offset, cudaMemcpyKind, cudaStream_t stream) {
  const Variable* variable = variable_of(symbol);
  if (variable == nullptr) return failed(cudaErrorInvalidSymbol);
  return copy_queued(destination, symbol_address(*variable) + offset, count, cudaMemcpyDefault,
                     stream, "cudaMemcpyFromSymbolAsync", WW_CALLER);
}
WW_API cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  const Variable* variable = variable_of(symbol);
  if (variable == nullptr) return failed(cudaErrorInvalidSymbol);
  *pointer = symbol_address(*variable);
  return cudaSuccess;
}
WW_API cudaError_t cudaGetSymbolSize(size_t* size, const void* symbol) {
  const Variable* variable = variable_of(symbol);
  if (variable == nullptr) return failed(cudaErrorInvalidSymbol);
  *size = variable->bytes;
  return cudaSuccess;
}
