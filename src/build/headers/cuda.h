// SPDX-License-Identifier: Apache-2.0
// Only the version and the integer names: candidates use the runtime API.
#pragma once

#define CUDA_VERSION 12030
typedef unsigned int cuuint32_t;
typedef unsigned long long cuuint64_t;
