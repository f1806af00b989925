// SPDX-License-Identifier: Apache-2.0
#include "build/compiler_faults.h"

#include <gtest/gtest.h>

namespace warpwright::build {
namespace {

std::vector<int> suspects(std::string_view source) {
  std::vector<int> lines;
  for (const auto& suspect : suspect_lines(source)) lines.push_back(suspect.line);
  return lines;
}

TEST(CompilerFaults, FactorsThatNeedNoRemainderByMistakeAreSuspect) {
  EXPECT_EQ(suspects("#pragma unroll 5\n"), std::vector{1});
  EXPECT_EQ(suspects("a\n  # pragma unroll(3)\n#pragma unroll 17 // why\n"), (std::vector{2, 3}));
  for (const char* const fine :
       {"#pragma unroll", "#pragma unroll 1", "#pragma unroll 4", "#pragma unroll 6",
        "#pragma unroll 7", "#pragma unroll 0", "#pragma unroll 5x", "#pragma unroll N",
        "#pragma nounroll", "// #pragma unroll 5", "#pragma unroll 99999999999999999999"}) {
    EXPECT_TRUE(suspects(fine).empty()) << fine;
  }
}

}  // namespace
}  // namespace warpwright::build
