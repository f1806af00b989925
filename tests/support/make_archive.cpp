// SPDX-License-Identifier: Apache-2.0
// make_archive KIND FILE: writes an archive of made-up runs for tests of the page. Nothing in them
// was measured. Kinds: small, hostile, odd, large (2,000 candidates), several (12 runs).
#include <cstdio>
#include <string>

#include "support/sample_runs.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "make_archive small|hostile|odd|large|several FILE\n");
    return 2;
  }
  const auto status = warpwright::samples::write(argv[1], argv[2]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.error().message.c_str());
  return 2;
}
