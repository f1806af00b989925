// SPDX-License-Identifier: Apache-2.0
// Memory of the device: the program's own, too. Copies and fills are done at once, or by the graph
// that captured them.
#include <cstdlib>
#include <cstring>

#include "runtime.h"

using namespace ww_flops;

namespace {

enum class Reach { device, host_too };

cudaError_t allocate(void** pointer, std::size_t size, Reach reach = Reach::device) {
  if (pointer == nullptr) return failed(cudaErrorInvalidValue);
  *pointer = nullptr;
  if (size == 0) return cudaSuccess;
  std::string answer;
  const std::int32_t error =
      ask(Ask::allocate, Packer().u64(size).u32(reach == Reach::host_too ? 1 : 0), &answer);
  if (error != 0) return failed(static_cast<cudaError_t>(error));
  const std::uint64_t address = Unpacker(answer).u64();
  const std::lock_guard<std::recursive_mutex> lock(state().busy);
  state().blocks[address] = size;
  *pointer = reinterpret_cast<void*>(address);
  return cudaSuccess;
}

cudaError_t release(void* pointer) {
  if (pointer == nullptr) return cudaSuccess;
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const std::lock_guard<std::recursive_mutex> lock(state().busy);
  if (state().blocks.erase(address) == 0) return failed(cudaErrorInvalidValue);
  return failed(static_cast<cudaError_t>(ask(Ask::release, Packer().u64(address))));
}

/// Whether a range that begins in device memory stays in its block.
bool fits(const void* pointer, std::size_t bytes) {
  if (!is_device(pointer)) return true;
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const std::lock_guard<std::recursive_mutex> lock(state().busy);
  const auto& blocks = state().blocks;
  auto it = blocks.upper_bound(address);
  if (it != blocks.begin()) {
    --it;
    const std::uint64_t offset = address - it->first;
    if (offset < it->second) return bytes <= it->second - offset;
  }
  for (const auto& [host, variable] : state().variables) {
    if (variable.address != 0 && address - variable.address < variable.bytes) {
      return bytes <= variable.bytes - (address - variable.address);
    }
  }
  return false;
}

std::size_t extent(std::size_t width, std::size_t height, std::size_t pitch) {
  return height == 0 ? 0 : (height - 1) * pitch + width;
}

/// Tells which memory now holds what another one held; the host's is 0.
void tell_copied(const void* to, const void* from, std::size_t bytes) {
  if (!is_device(to) && !is_device(from)) return;
  const auto address = [](const void* p) {
    return is_device(p) ? reinterpret_cast<std::uint64_t>(p) : std::uint64_t{0};
  };
  ask(Ask::copied, Packer().u64(address(to)).u64(address(from)).u64(bytes));
}

cudaError_t copy(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                 std::size_t width, std::size_t height) {
  if (state().poisoned != cudaSuccess) return failed(state().poisoned);
  if (width == 0 || height == 0) return cudaSuccess;
  if (height > 1 && (to_pitch < width || from_pitch < width)) {
    return failed(cudaErrorInvalidPitchValue);
  }
  if (to == nullptr || from == nullptr || !fits(to, extent(width, height, to_pitch)) ||
      !fits(from, extent(width, height, from_pitch))) {
    return failed(cudaErrorInvalidValue);
  }
  return perform([=] {
    for (std::size_t row = 0; row < height; ++row) {
      std::memmove(static_cast<char*>(to) + row * to_pitch,
                   static_cast<const char*>(from) + row * from_pitch, width);
    }
    tell_copied(to, from, extent(width, height, to_pitch));
  });
}

cudaError_t set(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  if (width == 0 || height == 0) return cudaSuccess;
  if (!is_device(to) || !fits(to, extent(width, height, pitch))) {
    return failed(cudaErrorInvalidValue);
  }
  return perform([=] {
    for (std::size_t row = 0; row < height; ++row) {
      std::memset(static_cast<char*>(to) + row * pitch, value, width);
    }
    ask(Ask::filled, Packer().u64(reinterpret_cast<std::uint64_t>(to)).u64(width * height));
  });
}

Variable* variable_of(const void* symbol) {
  const std::lock_guard<std::recursive_mutex> lock(state().busy);
  const auto it = state().variables.find(symbol);
  if (it == state().variables.end()) return nullptr;
  Variable& variable = it->second;
  if (variable.address == 0) {
    std::string answer;
    if (ask(Ask::variable, Packer().u32(variable.module).text(variable.name), &answer) != 0) {
      return nullptr;
    }
    Unpacker unpack(answer);
    variable.address = unpack.u64();
    variable.bytes = unpack.u64();
  }
  return &variable;
}

char* address_of(const Variable& variable) {
  if (variable.shadow != nullptr) return variable.shadow;
  return reinterpret_cast<char*>(variable.address);
}

}  // namespace

WW_API cudaError_t cudaMalloc(void** pointer, size_t size) { return allocate(pointer, size); }
WW_API cudaError_t cudaMallocAsync(void** pointer, size_t size, cudaStream_t) {
  return allocate(pointer, size);
}
WW_API cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t size, cudaMemPool_t,
                                           cudaStream_t) {
  return allocate(pointer, size);
}
WW_API cudaError_t cudaMallocManaged(void** pointer, size_t size, unsigned) {
  return allocate(pointer, size, Reach::host_too);
}
WW_API cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  if (pitch == nullptr) return failed(cudaErrorInvalidValue);
  *pitch = (width + 511) / 512 * 512;
  return allocate(pointer, *pitch * height);
}
// Kernels may use the host's pinned memory by its own address.
WW_API cudaError_t cudaHostAlloc(void** pointer, size_t size, unsigned) {
  return allocate(pointer, size, Reach::host_too);
}
WW_API cudaError_t cudaMallocHost(void** pointer, size_t size) {
  return allocate(pointer, size, Reach::host_too);
}
WW_API cudaError_t cudaFreeHost(void* pointer) { return release(pointer); }
WW_API cudaError_t cudaFree(void* pointer) { return release(pointer); }
WW_API cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) { return release(pointer); }
WW_API cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  if (!is_device(host)) return failed(cudaErrorInvalidValue);
  *device = host;
  return cudaSuccess;
}
WW_API cudaError_t cudaHostRegister(void*, size_t, unsigned) { return cudaSuccess; }
WW_API cudaError_t cudaHostUnregister(void*) { return cudaSuccess; }
WW_API cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total) {
  std::string answer;
  ask(Ask::available, Packer(), &answer);
  if (total != nullptr) *total = static_cast<size_t>(fact("memory_bytes"));
  if (free_bytes != nullptr) *free_bytes = static_cast<size_t>(Unpacker(answer).u64());
  return cudaSuccess;
}
WW_API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes,
                                            const void* pointer) {
  *attributes = {};
  const bool device = is_device(pointer);
  attributes->type = device ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
  attributes->devicePointer = device ? const_cast<void*>(pointer) : nullptr;
  attributes->hostPointer = const_cast<void*>(pointer);
  return cudaSuccess;
}

WW_API cudaError_t cudaMemset(void* pointer, int value, size_t count) {
  return set(pointer, count, value, count, 1);
}
WW_API cudaError_t cudaMemsetAsync(void* pointer, int value, size_t count, cudaStream_t) {
  return set(pointer, count, value, count, 1);
}
WW_API cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width,
                                size_t height) {
  return set(pointer, pitch, value, width, height);
}
WW_API cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width,
                                     size_t height, cudaStream_t) {
  return set(pointer, pitch, value, width, height);
}
WW_API cudaError_t cudaMemcpy(void* to, const void* from, size_t count, cudaMemcpyKind) {
  return copy(to, count, from, count, count, 1);
}
WW_API cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t count, cudaMemcpyKind,
                                   cudaStream_t) {
  return copy(to, count, from, count, count, 1);
}
WW_API cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, size_t count) {
  return copy(to, count, from, count, count, 1);
}
WW_API cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t count,
                                       cudaStream_t) {
  return copy(to, count, from, count, count, 1);
}
WW_API cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                size_t width, size_t height, cudaMemcpyKind) {
  return copy(to, to_pitch, from, from_pitch, width, height);
}
WW_API cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                     size_t width, size_t height, cudaMemcpyKind, cudaStream_t) {
  return copy(to, to_pitch, from, from_pitch, width, height);
}

WW_API cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* source, size_t count,
                                      size_t offset, cudaMemcpyKind) {
  const Variable* variable = variable_of(symbol);
  if (variable == nullptr) return failed(cudaErrorInvalidSymbol);
  return copy(address_of(*variable) + offset, count, source, count, count, 1);
}
WW_API cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* source, size_t count,
                                           size_t offset, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpyToSymbol(symbol, source, count, offset, kind);
}
WW_API cudaError_t cudaMemcpyFromSymbol(void* destination, const void* symbol, size_t count,
                                        size_t offset, cudaMemcpyKind) {
  const Variable* variable = variable_of(symbol);
  if (variable == nullptr) return failed(cudaErrorInvalidSymbol);
  return copy(destination, count, address_of(*variable) + offset, count, count, 1);
}
WW_API cudaError_t cudaMemcpyFromSymbolAsync(void* destination, const void* symbol, size_t count,
                                             size_t offset, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpyFromSymbol(destination, symbol, count, offset, kind);
}
WW_API cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  const Variable* variable = variable_of(symbol);
  if (variable == nullptr) return failed(cudaErrorInvalidSymbol);
  *pointer = address_of(*variable);
  return cudaSuccess;
}
WW_API cudaError_t cudaGetSymbolSize(size_t* size, const void* symbol) {
  const Variable* variable = variable_of(symbol);
  if (variable == nullptr) return failed(cudaErrorInvalidSymbol);
  *size = variable->bytes;
  return cudaSuccess;
}

// Of boxes; copies of them and arrays are in textures.cpp.
WW_API cudaError_t cudaMemset3D(cudaPitchedPtr memory, int value, cudaExtent box) {
  for (size_t z = 0; z < box.depth; ++z) {
    const cudaError_t error = set(static_cast<char*>(memory.ptr) + z * memory.ysize * memory.pitch,
                                  memory.pitch, value, box.width, box.height);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}
WW_API cudaError_t cudaMemset3DAsync(cudaPitchedPtr memory, int value, cudaExtent box,
                                     cudaStream_t) {
  return cudaMemset3D(memory, value, box);
}
