// SPDX-License-Identifier: Apache-2.0
// Texts that `warpwright flops` reads: compilers' messages, PTX as a table of costs, mangled names,
// and what a program says to its device.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "flops/attributes.h"
#include "flops/count.h"
#include "flops/messages.h"
#include "flops/program.h"
#include "flops/questions.h"
#include "flops/runtime/protocol.h"
#include "flops/static_count.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpwright;
  const std::string text(reinterpret_cast<const char*>(data), size);
  flop::missing_in(text);
  flop::first_error(text);
  const flop::CostTable table(text);
  for (std::uint32_t line = 0; line < 16; ++line) static_cast<void>(table.row(line));
  if (flop::without_lines(text).size() != text.size()) __builtin_trap();
  flop::cost_of(text);
  flop::answer_in(text);
  const std::vector<flop::SourceFile> files = {{"a.cu", text}};
  flop::attributes_of("k", files, {});
  flop::static_text(flop::static_counts(text, files));
  flop::bytes_of(text);
  flop::plain_name(flop::signature_of(text));
  ww_flops::Unpacker unpack(text);
  while (unpack.ok()) {
    unpack.u32();
    unpack.text();
    unpack.u64();
  }
  return 0;
}
