// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "base/result.h"

namespace warpwright::verify {

/// Calls code of a task's author in this process. An exception, an abort or a fault of its thread
/// is an error that says which it was. What the call held is lost then, so the caller ends its
/// work. Any number of threads may call it at once.
Status call_guarded(const std::function<void()>& call);

}  // namespace warpwright::verify
