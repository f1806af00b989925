// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "port/assembly_statement.h"

namespace warpwright::port {

/// The statement in C++, without a ';' at its end; nothing where no rule has it.
std::optional<std::string> ptx_in_cpp(const AssemblyStatement& statement);

}  // namespace warpwright::port
