// SPDX-License-Identifier: Apache-2.0
#pragma once

// Elements of any type, and sums over a block. A text that is compiled for the device only.

#include "core/element_type.h"
#include "verify/oracle/calls.h"
#include "verify/random.h"

namespace warpwright::verify {

typedef std::uint64_t u64;

__device__ inline u64 thread_number() { return u64{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ inline u64 threads_of_grid() { return u64{gridDim.x} * blockDim.x; }

__device__ inline int bytes_per_element(int type) {
  switch (static_cast<ElementType>(type)) {
    case ElementType::f64:
    case ElementType::i64:
      return 8;
    case ElementType::f16:
    case ElementType::bf16:
      return 2;
    case ElementType::u8:
    case ElementType::i8:
      return 1;
    default:
      return 4;
  }
}

template <class T>
__device__ inline T at(u64 address, u64 i) {
  return reinterpret_cast<const T*>(address)[i];
}

template <class T>
__device__ inline void put(u64 address, u64 i, T value) {
  reinterpret_cast<T*>(address)[i] = value;
}

/// The bits of element i, in the low end of a word.
__device__ inline u64 element_bits(u64 address, u64 i, int type) {
  switch (bytes_per_element(type)) {
    case 1:
      return at<std::uint8_t>(address, i);
    case 2:
      return at<std::uint16_t>(address, i);
    case 4:
      return at<std::uint32_t>(address, i);
    default:
      return at<u64>(address, i);
  }
}

__device__ inline void put_bits(u64 address, u64 i, int type, u64 bits) {
  switch (bytes_per_element(type)) {
    case 1:
      return put(address, i, static_cast<std::uint8_t>(bits));
    case 2:
      return put(address, i, static_cast<std::uint16_t>(bits));
    case 4:
      return put(address, i, static_cast<std::uint32_t>(bits));
    default:
      return put(address, i, bits);
  }
}

template <class To, class From>
__device__ inline To same_bits(From from) {
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

/// Element i as a double; 64-bit integers lose what does not fit.
__device__ inline double element(u64 address, u64 i, int type) {
  switch (static_cast<ElementType>(type)) {
    case ElementType::f32:
      return at<float>(address, i);
    case ElementType::f64:
      return at<double>(address, i);
    case ElementType::f16:
      return from_half_bits(at<std::uint16_t>(address, i));
    case ElementType::bf16:
      return from_bfloat_bits(at<std::uint16_t>(address, i));
    case ElementType::i32:
      return at<std::int32_t>(address, i);
    case ElementType::u32:
      return at<std::uint32_t>(address, i);
    case ElementType::i64:
      return static_cast<double>(at<long long>(address, i));
    case ElementType::u8:
      return at<std::uint8_t>(address, i);
    case ElementType::i8:
      return at<std::int8_t>(address, i);
  }
  return 0;
}

__device__ inline bool finite(double x) { return fabs(x) <= 1.7976931348623157e308; }

__device__ inline u64 add_to(u64* sum, u64 value) {
  return atomicAdd(reinterpret_cast<unsigned long long*>(sum),
                   static_cast<unsigned long long>(value));
}
__device__ inline void raise_to(u64* largest, u64 value) {
  atomicMax(reinterpret_cast<unsigned long long*>(largest),
            static_cast<unsigned long long>(value));
}

inline constexpr int kThreads = 256;

/// The sum over a block of kThreads threads, in all of them.
template <class T>
__device__ inline T block_sum(T value) {
  __shared__ T parts[kThreads / 32];
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  __syncthreads();  // the sum before may still be read
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  T sum = 0;
  for (int i = 0; i < kThreads / 32; ++i) sum += parts[i];
  return sum;
}

/// The least value of a block of kThreads threads, in all of them.
__device__ inline u64 block_least(u64 value) {
  __shared__ u64 parts[kThreads / 32];
  for (int distance = 16; distance > 0; distance /= 2) {
    const u64 other = __shfl_xor_sync(0xffffffffu, value, distance);
    if (other < value) value = other;
  }
  __syncthreads();  // the one before may still be read
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  for (int i = 0; i < kThreads / 32; ++i)
    if (parts[i] < value) value = parts[i];
  return value;
}

/// What the elements of one thread add to a record.
struct Tally {
  u64 wrong = 0, first = 0, compared = 0;
  double errors = 0, squares = 0;

  __device__ void blame(u64 i) {
    ++wrong;
    if (~i > first) first = ~i;
  }
};

/// Adds a block's tallies to the record. True in the first thread of the last block, which then
/// sees all of them.
__device__ inline bool report(const Tally& tally, CheckRecord* record) {
  const u64 wrong = block_sum(static_cast<unsigned long long>(tally.wrong));
  const u64 compared = block_sum(static_cast<unsigned long long>(tally.compared));
  const double errors = block_sum(tally.errors);
  const double squares = block_sum(tally.squares);
  if (tally.first != 0) raise_to(&record->first, tally.first);
  __syncthreads();
  if (threadIdx.x != 0) return false;
  if (wrong != 0) add_to(&record->wrong, wrong);
  if (compared != 0) add_to(&record->compared, compared);
  if (errors != 0) atomicAdd(&record->errors, errors);
  if (squares != 0) atomicAdd(&record->squares, squares);
  __threadfence();
  if (add_to(&record->blocks, 1) != u64{gridDim.x} - 1) return false;
  record->blocks = 0;  // another kernel may add to the same record
  return true;
}

/// What all blocks have added, past the cache of this SM.
__device__ inline CheckRecord seen(const CheckRecord* record) {
  __threadfence();
  const volatile CheckRecord* r = record;
  CheckRecord copy;
  copy.wrong = r->wrong;
  copy.compared = r->compared;
  copy.errors = r->errors;
  copy.squares = r->squares;
  copy.sum[0] = r->sum[0];
  copy.sum[1] = r->sum[1];
  return copy;
}

}  // namespace warpwright::verify
