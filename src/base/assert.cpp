// SPDX-License-Identifier: Apache-2.0
#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace warpwright {

void assertion_failed(const char* condition, const char* file, int line, std::string_view why) {
  std::fprintf(stderr,
               "warpwright: internal error at %s:%d: %s (%.*s)\n"
               "This is a bug in warpwright; nothing stored is lost. Please report it.\n",
               file, line, condition, static_cast<int>(why.size()), why.data());
  std::abort();
}

}  // namespace warpwright
