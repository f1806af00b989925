// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ww_recorder {

/// Names the system call that was stopped, and ends the process. Before any of the candidate's code
/// runs.
void watch_doors();

/// Whether the candidate's library came in through the door (close_doors, below).
bool doors_are_closed();

}  // namespace ww_recorder
