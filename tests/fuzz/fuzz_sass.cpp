// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string>

#include "sass/check.h"
#include "sass/latency.h"
#include "sass/listing.h"

// Any bytes as a cubin, as a listing and as a table of latencies: a value or an error, and what was
// read can be scheduled and checked.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpwright::sass;
  const std::string text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(Cubin::parse(text).ok());
  static_cast<void>(LatencyTable::parse(text).ok());
  auto sections = parse_listing(text);
  if (!sections.ok()) return 0;
  for (ListedSection& section : *sections) {
    if (section.code.size() > 512) continue;
    Function function{.name = section.name, .code = section.code, .labels = section.labels};
    function.blocks = blocks_of(function);
    const LatencyTable table;
    static_cast<void>(check(function, table).size());
    std::vector<Words> words;
    for (const Instruction& instruction : function.code) words.push_back(instruction.words);
    static_cast<void>(check_against(function, words, table).size());
  }
  return 0;
}
