// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ptx/prints.h"
#include "simt/launcher.h"

namespace warpwright::simt {
namespace {

/// Prints the text it is given and keeps what vprintf returns.
constexpr std::string_view kPrinting = R"(
.version 8.3
.target sm_80
.address_size 64
.extern .func (.param .b32 count) vprintf
(
	.param .b64 format,
	.param .b64 values
)
;
.entry print(.param .u64 text, .param .u64 out) {
  .local .align 8 .b8 depot[64];
  .reg .b64 %rd<6>;
  .reg .b32 %r<3>;
  ld.param.u64 %rd1, [text];
  ld.param.u64 %rd2, [out];
  mov.u64 %rd3, depot;
  cvta.local.u64 %rd4, %rd3;
  {
  .param .b64 p0;
  .param .b64 p1;
  .param .b32 r0;
  st.param.b64 [p0], %rd1;
  st.param.b64 [p1], %rd4;
  call.uni (r0), vprintf, (p0, p1);
  ld.param.b32 %r1, [r0];
  }
  st.global.u32 [%rd2], %r1;
  ret;
}
)";

int count_by(const std::string& ptx, const char* format) {
  Launcher l{ptx};
  const std::string_view text = format == nullptr ? "" : format;
  std::vector<char> bytes(text.begin(), text.end());
  bytes.push_back('\0');
  const Address at = l.put(bytes, "text"), out = l.empty(4, "out");
  l.run("print", {1}, {1}, Params().add(format == nullptr ? Address{0} : at).add(out));
  return l.get<int>(out, 1)[0];
}

struct Counted {
  const char* format;
  int arguments;
};

TEST(PrintsTest, ACountTellsNobodyWhetherAnythingIsPrinted) {
  const auto silent = ptx::without_prints(kPrinting);
  ASSERT_TRUE(silent);
  EXPECT_EQ(silent->find("vprintf"), std::string::npos);
  for (const auto& [format, arguments] :
       std::initializer_list<Counted>{{"", 0},
                                      {"nothing 100 %% of it\n", 0},
                                      {"%d of %5.2f%%", 2},
                                      {"%s", 1},
                                      {"%lld %hhu %zu %+08lx", 4},
                                      {"%*d", 2},
                                      {"%-*.*f|", 3},
                                      {"%", 0},
                                      {"ends in %ll", 0},
                                      {nullptr, -1}}) {
    EXPECT_EQ(count_by(*silent, format), arguments) << (format ? format : "no format");
    EXPECT_EQ(count_by(std::string(kPrinting), format), arguments) << (format ? format : "none");
  }
}

TEST(PrintsTest, OtherModulesStayAsTheyAre) {
  EXPECT_FALSE(ptx::without_prints(""));
  EXPECT_FALSE(ptx::without_prints(".func vprintf() { ret; }"));  // one of its own
  EXPECT_FALSE(ptx::without_prints("// .extern .func vprintf();\n.func f() { ret; }"));
  EXPECT_FALSE(ptx::without_prints(".extern .func vprintf"));
}

}  // namespace
}  // namespace warpwright::simt
