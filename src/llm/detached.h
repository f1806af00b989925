// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"

namespace warpwright::llm {

/// The two ends of a program that outlives us.
struct Detached {
  FileDescriptor in;   ///< its standard input
  FileDescriptor out;  ///< its standard output; end of file when it is gone
};

/// Starts a program in a session of its own that no signal to us, and no death of ours, reaches.
/// It inherits no descriptor but its pipes, and exactly the given environment. It is not our child
/// to wait for.
Result<Detached> start_detached(const std::vector<std::string>& argv,
                                const std::vector<std::string>& env);

/// Writes all of the text; an error when the reader is gone. Raises no SIGPIPE.
Status write_to_pipe(const FileDescriptor& pipe, std::string_view text);

}  // namespace warpwright::llm
