// SPDX-License-Identifier: Apache-2.0
#include "sandbox/sandbox.h"

#include <gtest/gtest.h>

TEST(Probe, Prints) {
  for (const auto& report : warpwright::sandbox::probe()) {
    printf("%s %d %s\n", std::string(name_of(report.level)).c_str(), report.works, report.why.c_str());
  }
}
