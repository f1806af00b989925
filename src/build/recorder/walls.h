// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ww_recorder {

/// For the calling process and what it becomes, for good: no other process can be made or reached,
/// no file or name written, no memory shared. False where the kernel refuses.
bool put_up_walls();

}  // namespace ww_recorder
