// SPDX-License-Identifier: Apache-2.0
#include "port/hazards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "port/source_text.h"

namespace warpwright::port {
namespace {

using testing::Contains;
using testing::IsEmpty;

std::vector<std::string> kinds(std::string_view body, Direction direction = Direction::to_hip) {
  const std::string source = "__global__ void k(int* x) {\n" + std::string(body) + "\n}\n";
  std::vector<std::string> found;
  for (const Hazard& hazard : find_hazards(SourceText(source), direction)) {
    EXPECT_EQ(hazard.line, 2) << hazard.kind;
    EXPECT_FALSE(hazard.why.empty());
    found.push_back(hazard.kind);
  }
  return found;
}

TEST(Hazards, WarpFunctions) {
  EXPECT_THAT(kinds("x[0] = __shfl_down_sync(m, x[1], 16);"), Contains("shuffle"));
  EXPECT_THAT(kinds("x[0] = __shfl(x[1], 0);"), Contains("shuffle"));
  EXPECT_THAT(kinds("unsigned b = __ballot_sync(m, x[1]);"), Contains("ballot"));
  EXPECT_THAT(kinds("unsigned b = __activemask();"), Contains("ballot"));
  EXPECT_THAT(kinds("if (__any_sync(m, x[1])) return;"), Contains("vote"));
}

TEST(Hazards, MasksAndSizes) {
  EXPECT_THAT(kinds("x[0] = __shfl_sync(0xffffffff, x[1], 0);"), Contains("mask"));
  EXPECT_THAT(kinds("x[0] = __shfl_sync(-1, x[1], 0);"), Contains("mask"));
  EXPECT_THAT(kinds("const unsigned full_mask = 0xFFFFFFFFu; int warp_mask = 0xffffffff;"),
              Contains("mask"));
  EXPECT_THAT(kinds("int n = blockDim.x / warpSize;"), Contains("warp_size"));
  EXPECT_THAT(kinds("const int WARP = 32;"), Contains("warp_constant"));
}

TEST(Hazards, TheNumber32BesideAThread) {
  EXPECT_THAT(kinds("int lane = threadIdx.x % 32;"), Contains("lane_literal"));
  EXPECT_THAT(kinds("int lane = threadIdx.x & 31;"), Contains("lane_literal"));
  EXPECT_THAT(kinds("int w = threadIdx.x >> 5;"), Contains("lane_literal"));
  EXPECT_THAT(kinds("int w = tid / 32;"), Contains("lane_literal"));
  EXPECT_THAT(kinds("if (tid < 32) x[0] = 1;"), Contains("lane_literal"));
  EXPECT_THAT(kinds("y = a % 32 + (b & 30);"), IsEmpty());
}

TEST(Hazards, WhatRunsInStep) {
  EXPECT_THAT(kinds("volatile int* s = x; s[t] += s[t + 16];"), Contains("warp_synchronous"));
  EXPECT_THAT(kinds("while (atomicCAS(x, 0, 1) != 0) {}"), Contains("spin_lock"));
  EXPECT_THAT(kinds("nvcuda::wmma::mma_sync(c, a, b, c);"), Contains("tensor_core"));
  EXPECT_THAT(kinds("asm(\"mov.u32 %0, %%lanemask_lt;\" : \"=r\"(m));"), Contains("lane_register"));
}

TEST(Hazards, TheHostIsNotLookedAt) {
  EXPECT_THAT(find_hazards(SourceText("int f(int tid) { return tid % 32 + (tid >> 5); }"),
                           Direction::to_hip),
              IsEmpty());
}

TEST(Hazards, WarpsOf64OnTheWayToCuda) {
  EXPECT_THAT(kinds("int lane = threadIdx.x & 63;", Direction::to_cuda), Contains("lane_literal"));
  EXPECT_THAT(kinds("int lane = threadIdx.x % 64;", Direction::to_cuda), Contains("lane_literal"));
}

}  // namespace
}  // namespace warpwright::port
