// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/device_facts.h"

namespace warpwright::prompt {

/// What was measured on this kind of GPU and no data sheet says, a line each with its newline
/// before it; empty where nothing is known. For the rich level: the paper's prompts have no such.
std::string device_notes(const DeviceFacts& device);

}  // namespace warpwright::prompt
