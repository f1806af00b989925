// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "evaluate/session.h"
#include "verify/oracle.h"

namespace warpwright::evaluate {

/// A validation case whose inputs are made on the device just before each call, and whose outputs
/// are checked there. Nothing of it is known to the host, or cached, before the call: what the
/// judge knows is made after it and overwritten.
class DeviceCase {
 public:
  static Result<DeviceCase> open(Session& session, const verify::Case& item, std::uint64_t seed);

  [[nodiscard]] LoadedCase& loaded() { return loaded_; }
  /// Writes the inputs of the next call.
  Status before();
  /// Has the call checked that was just made. Nobody waits for it.
  Status after(std::vector<Finding> findings);
  /// Waits for the checks. Ended by the first call that is wrong.
  Outcome<> conclude();

 private:
  DeviceCase(Session& session, LoadedCase loaded)
      : session_(&session), loaded_(std::move(loaded)) {}

  Session* session_;
  LoadedCase loaded_;
  std::unique_ptr<verify::OracleCase> oracle_;
  std::vector<device::BufferId> buffers_;
  std::vector<Finding> findings_;  ///< of the first call
  std::uint64_t calls_ = 0;
};

/// Whether cases of this size are validated there. Others are made and checked by the host: those
/// of tasks without checks on the device, and what would leave no room for the candidate.
Result<bool> validated_on_device(const Prepared& prepared, const verify::Case& item);

}  // namespace warpwright::evaluate
