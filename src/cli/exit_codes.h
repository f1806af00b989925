// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace warpwright::cli {

/// What the process returns; documented in README.md, scripts rely on it.
enum ExitCode : int {
  kOk = 0,
  kBad = 1,      ///< a bad verdict, or a search that found no valid kernel
  kFailed = 2,   ///< usage or the world: a message on standard error says what to do
  kWaiting = 3,  ///< questions wait for `warpwright tell`
  kInterrupted = 130,
};

}  // namespace warpwright::cli
