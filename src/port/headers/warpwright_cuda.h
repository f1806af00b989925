// SPDX-License-Identifier: Apache-2.0
// What a program that was carried over from HIP needs beside CUDA's own headers. `warpwright port`
// writes this file; docs/port.md describes it.
#ifndef WARPWRIGHT_CUDA_H
#define WARPWRIGHT_CUDA_H

#include <cuda_runtime.h>

#endif
