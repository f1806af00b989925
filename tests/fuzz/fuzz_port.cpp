// SPDX-License-Identifier: Apache-2.0
// The port's readers of foreign text: tokens cover the text, and any text can be translated.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "port/build_flags.h"
#include "port/lexer.h"
#include "port/outputs.h"
#include "port/prove.h"
#include "port/ptx_program.h"
#include "port/translate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpwright::port;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::size_t at = 0;
  for (const Token& token : tokens_of(text)) {
    if (token.begin != at || token.end <= token.begin) std::abort();
    at = token.end;
  }
  if (at != size) std::abort();
  for (const Direction direction : {Direction::to_hip, Direction::to_cuda}) {
    TranslateOptions options;
    options.direction = direction;
    options.own_names = own_names_of(text);
    (void)translate(text, options);
    (void)changed_build_file("Makefile", text, direction);
  }
  (void)ptx_as_hip(text, "fuzz.ptx").ok();
  (void)build_flags_of(text);
  (void)parse_amd_resources(text);
  (void)error_lines(text, 8);
  // What programs print is equal to itself, and can be held against anything.
  const std::string_view first = text.substr(0, size / 2), second = text.substr(size / 2);
  for (const Tolerance tolerance : {Tolerance::none, Tolerance::sums}) {
    if (difference(text, text, tolerance) || !same_data(text, text, tolerance)) std::abort();
    (void)difference(first, second, tolerance);
    (void)same_data(first, second, tolerance);
  }
  (void)without_changing_parts(first, second, text);
  return 0;
}
