// SPDX-License-Identifier: Apache-2.0
// A profiler that is not there is switched on and off in vain.
#pragma once

#include "cuda_runtime_api.h"

static inline cudaError_t cudaProfilerStart() { return cudaSuccess; }
static inline cudaError_t cudaProfilerStop() { return cudaSuccess; }
