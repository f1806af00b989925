// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <httplib.h>

namespace warpwright {

/// Asks until an answer arrives, at most 20 times. The server refuses some requests before their
/// body has arrived and closes: a client that still sends then sees a closed connection, not the
/// answer.
template <class Ask>
httplib::Result asked(Ask ask) {
  httplib::Result answer = ask();
  for (int i = 1; i < 20 && !answer; ++i) answer = ask();
  return answer;
}

}  // namespace warpwright
