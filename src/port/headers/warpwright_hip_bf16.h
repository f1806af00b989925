// SPDX-License-Identifier: Apache-2.0
// 16-bit numbers with an exponent of 8 bits, for a program that was carried over from CUDA.
#ifndef WARPWRIGHT_HIP_BF16_H
#define WARPWRIGHT_HIP_BF16_H

#include "warpwright_hip.h"

#endif
