// SPDX-License-Identifier: Apache-2.0
// Cooperative groups for a program that was carried over from CUDA; see warpwright_hip.h.
#ifndef WARPWRIGHT_HIP_GROUPS_H
#define WARPWRIGHT_HIP_GROUPS_H

#include "warpwright_hip.h"

#include <hip/hip_cooperative_groups.h>

#endif
