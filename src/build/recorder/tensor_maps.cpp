// SPDX-License-Identifier: Apache-2.0
// Tensor maps, made through the driver's entry points. Apart from the other sources, and without
// CUDA's headers: toolkits declare these functions differently. Both runtimes that programs are
// linked with have this file.
#include <cstdint>
#include <cstring>

#include "descriptors.h"

#define WW_DRIVER_API extern "C" __attribute__((visibility("default")))

/// Ends the call: the runtime that this is a part of says how.
extern "C" [[noreturn]] void ww_missing_entry_point(const char* name, const void* caller);

namespace {

using ww_descriptors::TensorMap;
using ww_descriptors::TensorType;

constexpr int kInvalidValue = 1;

struct TensorFacts {
  int type;
  std::uint32_t rank;
  std::uint64_t address;
  const std::uint64_t* sizes;
  const std::uint64_t* strides;
  const std::uint32_t* box;
  const std::uint32_t* steps;
  int interleave, swizzle, promotion, fill;
};

bool is_float(TensorType type) {
  return type == TensorType::f16 || type == TensorType::bf16 || type >= TensorType::f32_ftz ||
         type == TensorType::f32 || type == TensorType::f64;
}

/// What the driver refuses.
bool is_valid(const TensorFacts& f) {
  const auto type = static_cast<TensorType>(f.type);
  const std::uint32_t element = ww_descriptors::bytes_of(type);
  if (f.type < 0 || element == 0 || f.rank == 0 || f.rank > 5 || f.address % 16 != 0) return false;
  if (f.swizzle < 0 || f.swizzle > 3 || f.promotion < 0 || f.promotion > 3) return false;
  if (f.fill < 0 || f.fill > 1 || (f.fill == 1 && !is_float(type))) return false;
  for (std::uint32_t d = 0; d < f.rank; ++d) {
    if (f.sizes[d] == 0 || f.sizes[d] > std::uint64_t{1} << 32) return false;
    if (f.box[d] == 0 || f.box[d] > 256 || f.steps[d] == 0 || f.steps[d] > 8) return false;
    if (d == 0) continue;
    const std::uint64_t stride = f.strides[d - 1];
    if (stride % 16 != 0 || stride >= std::uint64_t{1} << 40) return false;
  }
  const std::uint64_t inner = std::uint64_t{f.box[0]} * element;
  return inner % 16 == 0 && (f.swizzle == 0 || inner <= std::uint64_t{16} << f.swizzle);
}

int encode(void* map, const TensorFacts& f) {
  if (map == nullptr || f.sizes == nullptr || f.box == nullptr || f.steps == nullptr ||
      (f.strides == nullptr && f.rank > 1) || !is_valid(f)) {
    return kInvalidValue;
  }
  TensorMap made = {};
  std::memcpy(made.mark, ww_descriptors::kTensorMark, sizeof made.mark);
  made.address = f.address;
  for (std::uint32_t d = 0; d < f.rank; ++d) {
    made.sizes_less_one[d] = static_cast<std::uint32_t>(f.sizes[d] - 1);
    made.box[d] = static_cast<std::uint16_t>(f.box[d]);
    made.steps[d] = static_cast<std::uint8_t>(f.steps[d]);
    if (d > 0) made.strides[d - 1] = f.strides[d - 1];
  }
  made.type = static_cast<std::uint8_t>(f.type);
  made.rank = static_cast<std::uint8_t>(f.rank);
  made.swizzle = static_cast<std::uint8_t>(f.swizzle);
  made.promotion = static_cast<std::uint8_t>(f.promotion);
  made.fill = static_cast<std::uint8_t>(f.fill);
  std::memcpy(map, &made, sizeof made);
  return 0;
}

}  // namespace

WW_DRIVER_API int cuTensorMapEncodeTiled(void* map, int type, std::uint32_t rank, void* address,
                                         const std::uint64_t* sizes, const std::uint64_t* strides,
                                         const std::uint32_t* box, const std::uint32_t* steps,
                                         int interleave, int swizzle, int promotion, int fill) {
  if (interleave != 0) {
    ww_missing_entry_point("cuTensorMapEncodeTiled of interleaved tensors",
                           __builtin_return_address(0));
  }
  return encode(map, {type, rank, reinterpret_cast<std::uintptr_t>(address), sizes, strides, box,
                      steps, interleave, swizzle, promotion, fill});
}

WW_DRIVER_API int cuTensorMapReplaceAddress(void* map, void* address) {
  TensorMap changed;
  if (map == nullptr || reinterpret_cast<std::uintptr_t>(address) % 16 != 0) return kInvalidValue;
  std::memcpy(&changed, map, sizeof changed);
  if (!ww_descriptors::is_marked(changed, ww_descriptors::kTensorMark)) return kInvalidValue;
  changed.address = reinterpret_cast<std::uintptr_t>(address);
  std::memcpy(map, &changed, sizeof changed);
  return 0;
}

namespace {

int entry_point(const char* name, void** function, int* status, const void* caller) {
  if (name == nullptr || function == nullptr) return kInvalidValue;
  *function = nullptr;
  if (std::strcmp(name, "cuTensorMapEncodeTiled") == 0)
    *function = reinterpret_cast<void*>(cuTensorMapEncodeTiled);
  if (std::strcmp(name, "cuTensorMapReplaceAddress") == 0)
    *function = reinterpret_cast<void*>(cuTensorMapReplaceAddress);
  if (*function == nullptr) ww_missing_entry_point(name, caller);
  if (status != nullptr) *status = 0;
  return 0;
}

}  // namespace

WW_DRIVER_API int cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long,
                                          int* status) {
  return entry_point(name, function, status, __builtin_return_address(0));
}
WW_DRIVER_API int cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned,
                                                   unsigned long long, int* status) {
  return entry_point(name, function, status, __builtin_return_address(0));
}
