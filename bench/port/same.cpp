// SPDX-License-Identifier: Apache-2.0
//
// port_same FIRST AGAIN PORT none|sums
//
// Whether a port printed what its original prints, by the rule of docs/port.md: the files hold what
// two runs of the original and one of the port wrote to standard output. Prints "same", "differs:
// WHERE" or "unknown: WHY"; exit code 0, 1 or 2. It needs no library, so that a bare GPU host can
// compile it (bench/port_h200).
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include "port/outputs.h"

namespace {

std::string content_of(const char* path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace

int main(int count, char** words) {
  using namespace warpwright::port;
  if (count != 5) {
    std::fputs("usage: port_same FIRST AGAIN PORT none|sums\n", stderr);
    return 2;
  }
  const std::string got = content_of(words[3]);
  const auto stable = without_changing_parts(content_of(words[1]), content_of(words[2]), got);
  if (!stable) {
    std::puts("unknown: the original prints something else each time");
    return 2;
  }
  const Tolerance tolerance =
      std::string_view(words[4]) == "sums" ? Tolerance::sums : Tolerance::none;
  const auto found = difference(stable->expected, stable->got, tolerance);
  std::puts(found ? ("differs: " + *found).c_str() : "same");
  return found ? 1 : 0;
}
