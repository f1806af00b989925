// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

// __cluster_dims__ with clang, which has no such attribute: our header makes a note of it, the
// compiler's own language (LLVM's) shows the note with its numbers, and they are put into the PTX.

namespace warpwright::build {

/// Whether a source may have kernels with clusters of their own.
bool mentions_cluster_dims(std::string_view source);

/// Kernel -> "8, 1, 1", from a text in LLVM's language.
std::map<std::string, std::string, std::less<>> find_cluster_dims(std::string_view llvm);

/// The PTX with the directives of the kernels that need them, and without mere declarations of
/// kernels.
std::string with_cluster_dims(std::string_view ptx,
                              const std::map<std::string, std::string, std::less<>>& dims);

}  // namespace warpwright::build
