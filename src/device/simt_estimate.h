// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/device_facts.h"
#include "simt/estimate.h"
#include "simt/state/report.h"

namespace warpwright::device {

/// What the machine's estimate is told of a GPU.
simt::GpuSpec spec_of(const DeviceFacts& facts);

/// What bounds a launch, in words.
std::string describe_bottleneck(const simt::Estimate& estimate);

/// A memset (traffic 1) or copy (traffic 2) of so many bytes, launch included.
double estimate_copy_us(std::uint64_t bytes, int traffic, const DeviceFacts& facts);

}  // namespace warpwright::device
