// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/device_facts.h"
#include "flops/count.h"

namespace warpwright::flop {

/// Where a launch stands under a device's roof. Bytes are those that instructions ask for: caches
/// can make the intensity higher, never lower.
struct RooflinePoint {
  std::string label;
  double intensity = 0;    ///< FLOPs for a byte; 0 where nothing is computed or moved
  double peak_tflops = 0;  ///< of the kinds of operations that it does, in their mixture
  double roof_tflops = 0;  ///< what memory and peak allow at that intensity
  double ridge = 0;        ///< intensity from which the peak is the limit
  bool memory_bound = false;
};
RooflinePoint roofline_point(const std::string& label, const Flops& flops, double bytes,
                             const DeviceFacts& device);

/// "0.25 FLOP/byte, bound by memory: at most 0.19 of 29.8 TFLOP/s (ridge at 39.2)".
std::string roofline_sentence(const RooflinePoint& point);
/// A picture in characters: the roof, and a letter for each point.
std::string roofline_text(const std::vector<RooflinePoint>& points, const DeviceFacts& device);
/// A picture for a page, both scales logarithmic.
std::string roofline_svg(const std::vector<RooflinePoint>& points, const DeviceFacts& device);

}  // namespace warpwright::flop
