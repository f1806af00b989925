// SPDX-License-Identifier: Apache-2.0
#include "simt/standalone.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace warpwright::simt {
namespace {

template <class T>
std::vector<T> values(const StandaloneArgument& a) {
  std::vector<T> v(a.bytes.size() / sizeof(T));
  std::memcpy(v.data(), a.bytes.data(), a.bytes.size());
  return v;
}

TEST(StandaloneArgument, numbers_have_the_bytes_of_their_type) {
  EXPECT_EQ(values<float>(*parse_argument("f32:1.5")), std::vector<float>{1.5F});
  EXPECT_EQ(values<std::int32_t>(*parse_argument("i32:-7")), std::vector<std::int32_t>{-7});
  EXPECT_EQ(values<std::uint64_t>(*parse_argument("u64:0xff")), std::vector<std::uint64_t>{255});
  EXPECT_EQ(parse_argument("f16:1")->bytes.size(), 2U);
  EXPECT_EQ(parse_argument("hex:00ff10")->bytes.size(), 3U);
}

TEST(StandaloneArgument, buffers_have_names_types_and_contents) {
  const auto iota = parse_argument("x=buf:i32:4:iota,10,-2");
  ASSERT_TRUE(iota.ok());
  EXPECT_EQ(iota->name, "x");
  EXPECT_EQ(values<std::int32_t>(*iota), (std::vector<std::int32_t>{10, 8, 6, 4}));
  EXPECT_EQ(values<float>(*parse_argument("buf:f32:3:1,2.5")), (std::vector<float>{1, 2.5, 0}));
  EXPECT_EQ(values<double>(*parse_argument("buf:f64:2:fill,0.5")), (std::vector<double>{0.5, 0.5}));
  EXPECT_FALSE(parse_argument("buf:f32:4:none")->written);
  EXPECT_TRUE(parse_argument("buf:f32:4:freed")->freed);
  EXPECT_EQ(values<float>(*parse_argument("buf:f32:8:random,3")),
            values<float>(*parse_argument("buf:f32:8:random,3")));
}

TEST(StandaloneArgument, what_is_wrong_is_said) {
  const auto message = [](std::string_view text) {
    const auto a = parse_argument(text);
    return a.ok() ? std::string("no error") : a.error().message;
  };
  EXPECT_THAT(message("7"), testing::HasSubstr("TYPE:VALUE"));
  EXPECT_THAT(message("f32:x"), testing::HasSubstr("not a value of type f32"));
  EXPECT_THAT(message("f31:1"), testing::HasSubstr("unknown type"));
  EXPECT_THAT(message("buf:f32"), testing::HasSubstr("buf:TYPE:COUNT"));
  EXPECT_THAT(message("buf:f32:2:1,2,3"), testing::HasSubstr("3 values for 2 elements"));
  EXPECT_THAT(message("buf:@/no/such/file"), testing::HasSubstr("/no/such/file"));
}

TEST(StandaloneRun, a_line_is_parsed_like_a_command) {
  const auto run = parse_run(
      "--kernel k --grid 2,3 --block 32 --shared 64 --arg i32:1 --arg buf:f32:2 --print arg1:1:4 "
      "--checks fast --seconds 3 --cooperative");
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run->grid, (Dim3{2, 3, 1}));
  EXPECT_EQ(run->shared_bytes, 64U);
  EXPECT_EQ(run->arguments.at(1).name, "arg1");
  EXPECT_EQ(run->prints.at(0).first, 1U);
  EXPECT_EQ(run->options.checks, Checks::fast);
  EXPECT_EQ(run->options.max_wall_s, 3);
  EXPECT_TRUE(run->options.cooperative);
  EXPECT_FALSE(parse_run("--grid 1,2,3,4").ok());
  EXPECT_FALSE(parse_run("--grid").ok());
  EXPECT_FALSE(parse_run("--checks some").ok());
  EXPECT_FALSE(parse_run("--unknown 1").ok());
}

TEST(StandaloneRun, arguments_must_fit_the_kernel) {
  const auto module = load(
      ".version 8.3\n.target sm_80\n.address_size 64\n"
      ".visible .entry _Z3addi(.param .u32 n)\n{\nret;\n}\n"
      ".visible .entry other()\n{\nret;\n}\n");
  ASSERT_TRUE(module.ok());
  EXPECT_EQ(find_kernel(*module, "add")->name, "_Z3addi");
  EXPECT_FALSE(find_kernel(*module, "").ok());
  EXPECT_FALSE(find_kernel(*module, "mul").ok());
  const auto message = [&](std::string_view line) {
    const auto result = run_standalone(*module, *parse_run(line));
    return result.ok() ? std::string("no error") : result.error().message;
  };
  EXPECT_EQ(message("--kernel add --arg i32:1"), "no error");
  EXPECT_THAT(message("--kernel add"), testing::HasSubstr("takes 1 arguments, 0 were given"));
  EXPECT_THAT(message("--kernel add --arg u64:1"), testing::HasSubstr("4 bytes, 8 were given"));
}

}  // namespace
}  // namespace warpwright::simt
