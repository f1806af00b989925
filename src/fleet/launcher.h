// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace warpwright::fleet {

/// Starts pilots where there is work for them.
class Launcher {
 public:
  virtual ~Launcher() = default;
  /// Called now and then, by one thread, with the jobs that wait and those whose verdict came since
  /// the last call. The error is for pilots that cannot be had: the search ends with it.
  virtual Status tend(std::size_t waiting, std::size_t judged) = 0;
};

}  // namespace warpwright::fleet
