// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "port/project.h"
#include "port/prove.h"

namespace warpwright::port {

/// Whether runs gave the same; nothing: it was not tried.
struct Verified {
  std::optional<bool> wave32;
  std::optional<bool> wave64;
  std::optional<bool> cuda;
};

/// All that a port found out.
struct PortReport {
  Direction direction = Direction::to_hip;
  CarriedProject project;
  std::vector<CompileOutcome> compiled;
  Verified verified;
  bool asked_cpu = false;
  bool asked_cuda = false;
  std::vector<std::string> notes;
};

/// 0: all proofs that were asked for hold. 1: one does not. 2: one could not be made.
int exit_code_of(const PortReport& report);

/// One JSON object (docs/port.md).
std::string port_json(const PortReport& report);

/// The same for a person.
std::string port_text(const PortReport& report);

}  // namespace warpwright::port
