// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a failed call left is kept; what the judge knew is not.

#include "verify/oracle/elements.cuh"

namespace warpwright::verify {

extern "C" __global__ void __launch_bounds__(kThreads) oracle_keep(const KeepCall call) {
  const CheckRecord* records = reinterpret_cast<const CheckRecord*>(call.records);
  bool failed = false;
  for (u64 i = 0; i < call.count; ++i) failed = failed || records[i].failed != 0;
  if (!failed) return;
  __shared__ bool ours;
  if (threadIdx.x == 0) {
    // The first block of the first failed call takes it; the others of that call find it taken.
    const u64 name = call.call + 1;
    const u64 before = atomicCAS(reinterpret_cast<unsigned long long*>(call.owner), 0ull,
                                 static_cast<unsigned long long>(name));
    ours = before == 0 || before == name;
  }
  __syncthreads();
  if (!ours) return;
  for (u64 k = 0; k < call.jobs; ++k) {
    const KeepJob job = call.job[k];
    for (u64 i = thread_number(); i < job.bytes / 4; i += threads_of_grid())
      put(job.to, i, at<std::uint32_t>(job.from, i));
    for (u64 i = job.bytes / 4 * 4 + thread_number(); i < job.bytes; i += threads_of_grid())
      put(job.to, i, at<std::uint8_t>(job.from, i));
  }
}

extern "C" __global__ void __launch_bounds__(kThreads) oracle_scrub(const ScrubCall call) {
  const ScrubRange range = call.range[blockIdx.y];
  const RandomWords words = philox(blockIdx.x, blockIdx.y, 0x5C2Bu, threadIdx.x, call.key);
  const uint4 garbage = make_uint4(words.w[0], words.w[1], words.w[2], words.w[3]);
  for (u64 i = thread_number(); i < range.bytes / 16; i += threads_of_grid())
    put(range.at, i, garbage);
  for (u64 i = range.bytes / 16 * 16 + thread_number(); i < range.bytes; i += threads_of_grid())
    put(range.at, i, static_cast<std::uint8_t>(words.w[0]));
}

}  // namespace warpwright::verify
