// SPDX-License-Identifier: Apache-2.0
#include "base/background.h"

#include <sys/resource.h>
#include <unistd.h>

namespace warpwright {

void work_in_background() {
  constexpr int kNice = 10;
  // On Linux the priority is a thread's own. A refusal changes nothing but the order of work.
  static_cast<void>(::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNice));
}

}  // namespace warpwright
