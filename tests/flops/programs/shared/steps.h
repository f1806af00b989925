// SPDX-License-Identifier: Apache-2.0
#pragma once

__global__ void steps(volatile float* x) {
  for (int i = 0; i < STEPS; ++i) x[threadIdx.x] = x[threadIdx.x] + 0.5f;
}
