// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/evaluation.h"

namespace warpwright::build {

/// The file that every candidate is compiled behind.
inline constexpr std::string_view kSignatureFile = "signature.h";

/// A declaration of solve. It comes before the first line of the candidate, so nothing in there
/// can change what it says, and a definition that differs is an error of the compiler.
/// `signature` as from signature_of(task); empty = any signature will do. `file` is what __FILE__
/// says: the name that a source has with us is no fact to build upon.
std::string signature_header(std::string_view signature, std::string_view file);

/// Puts what is expected into the messages about a solve that differs or is missing.
void explain_signature(std::vector<Diagnostic>& diagnostics, std::string_view signature,
                       std::string_view source);

}  // namespace warpwright::build
