// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace warpwright {

/// The calling thread, and the threads and processes it starts from now on, yield to others. For
/// work that only has to be done in time; there is no way back.
void work_in_background();

}  // namespace warpwright
