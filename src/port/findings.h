// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace warpwright::port {

/// Something of the source that has no counterpart: it stands as it was.
struct Unmapped {
  std::string file;
  int line = 0;
  std::string text;
  std::string advice;
  std::string library;  ///< the library that would have it; empty = none
};

/// A place that depends on how many lanes a wavefront has, or on how they run.
struct Hazard {
  std::string file;
  int line = 0;
  std::string kind;
  std::string text;
  bool repaired = false;
  std::string why;
};

struct Findings {
  std::vector<Unmapped> unmapped;
  std::vector<Hazard> hazards;
};

}  // namespace warpwright::port
