// SPDX-License-Identifier: Apache-2.0
// What a lone warp waits for, by the text of its kernel.
#include "launcher.h"

namespace warpwright::simt {
namespace {

/// One block whose lanes read four words: each by the address that the last one gave, or all by
/// themselves; `moves` are new names for what was read, before anybody uses it.
std::string four_loads(bool dependent, bool moves) {
  std::string text = R"(.version 8.3
.target sm_90
.address_size 64
.entry k(.param .u64 from, .param .u64 to)
{
  .reg .b64 %rd<16>;
  ld.param.u64 %rd0, [from];
  ld.param.u64 %rd9, [to];
)";
  for (int i = 0; i < 4; ++i) {
    const std::string at = std::to_string(dependent ? i : 0), d = std::to_string(i + 1);
    text += "  ld.global.u64 %rd" + d + ", [%rd" + at + "+" + std::to_string(8 * i) + "];\n";
    if (moves) text += "  mov.b64 %rd" + d + ", %rd" + d + ";\n";
  }
  for (int i = 2; i <= 4; ++i) text += "  add.s64 %rd1, %rd1, %rd" + std::to_string(i) + ";\n";
  return text + "  st.global.u64 [%rd9], %rd1;\n  ret;\n}\n";
}

Chain chain_of(const std::string& text) {
  Launcher l(text);
  // The addresses of the list are where the machine puts its first buffer.
  const Address probe = Launcher(text).empty(64, "from");
  const Address from = l.put(std::vector<Address>(8, probe), "from"), to = l.empty(8, "to");
  EXPECT_EQ(from, probe);
  return l.run("k", {}, {32}, Params().add(from).add(to)).counts.chain;
}

TEST(Chains, LoadsThatNeedEachOtherAreWaitedForInSequence) {
  EXPECT_EQ(chain_of(four_loads(true, false)).loads, 4);
  EXPECT_EQ(chain_of(four_loads(false, false)).loads, 1);
  // A new name waits for nothing.
  EXPECT_EQ(chain_of(four_loads(false, true)).loads, 1);
}

TEST(Chains, ALoadIsWaitedForWhereItIsUsed) {
  // The next word is read a turn before it is added: one wait a turn, not two.
  constexpr std::string_view kLoop = R"(.version 8.3
.target sm_90
.address_size 64
.entry k(.param .u64 from, .param .u64 to)
{
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [from];
  ld.param.u64 %rd2, [to];
  mov.b64 %rd3, 0;
  mov.b32 %r1, 0;
  ld.global.u64 %rd4, [%rd1];
$turn:
  ld.global.u64 %rd5, [%rd1+8];
  add.s64 %rd3, %rd3, %rd4;
  mov.b64 %rd4, %rd5;
  add.s32 %r1, %r1, 1;
  setp.lt.s32 %p1, %r1, 16;
  @%p1 bra $turn;
  st.global.u64 [%rd2], %rd3;
  ret;
}
)";
  const Chain chain = chain_of(std::string(kLoop));
  EXPECT_GT(chain.loads, 14);
  EXPECT_LE(chain.loads, 17);
}

}  // namespace
}  // namespace warpwright::simt
