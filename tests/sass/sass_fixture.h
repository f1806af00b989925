// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "sass/listing.h"
#include "sass/program.h"
#include "support/places.h"

namespace warpwright::sass {

/// A cubin with one function, put together from a listing: what our reader needs of an ELF file.
inline std::string cubin_of(const ListedSection& section, const std::string& info = "") {
  std::string code;
  for (const Instruction& instruction : section.code) {
    code.append(reinterpret_cast<const char*>(&instruction.words.low), 8);
    code.append(reinterpret_cast<const char*>(&instruction.words.high), 8);
  }
  const std::string names = std::string("\0.shstrtab\0.text.", 17) + section.name +
                            std::string("\0.nv.info.", 10) + section.name + '\0';
  const auto text_name = names.find(".text."), info_name = names.find(".nv.info.");
  std::string file(64, '\0');
  const auto put = [&](std::size_t at, auto value) {
    if (file.size() < at + sizeof value) file.resize(at + sizeof value);
    std::memcpy(file.data() + at, &value, sizeof value);
  };
  std::memcpy(file.data(),
              "\x7f"
              "ELF\x02\x01\x01\x33\x07",
              9);
  put(18, std::uint16_t{190});
  put(48, std::uint32_t{0x5a055a});
  const std::size_t names_at = file.size();
  file += names;
  const std::size_t code_at = file.size();
  file += code;
  const std::size_t info_at = file.size();
  file += info;
  const std::size_t table = file.size();
  put(40, std::uint64_t{table});
  put(58, std::uint16_t{64});
  put(60, std::uint16_t{4});
  put(62, std::uint16_t{1});
  file.resize(table + 4 * 64);
  const auto row = [&](std::size_t number, std::size_t name, std::uint32_t type,
                       std::uint64_t flags, std::size_t at, std::size_t bytes) {
    const std::size_t start = table + number * 64;
    put(start, static_cast<std::uint32_t>(name));
    put(start + 4, type);
    put(start + 8, flags);
    put(start + 24, std::uint64_t{at});
    put(start + 32, std::uint64_t{bytes});
  };
  row(1, 1, 3, 0, names_at, names.size());
  row(2, text_name, 1, 6, code_at, code.size());
  row(3, info_name, 0x70000000, 0, info_at, info.size());
  return file;
}

/// EXIT_INSTR_OFFSETS of tests/sass/tiny.txt.
inline std::string tiny_info() {
  std::string info("\x04\x1c\x08\x00", 4);
  for (const std::uint32_t offset : {0x70U, 0x160U})
    info.append(reinterpret_cast<const char*>(&offset), 4);
  return info;
}

inline std::string tiny_listing() { return read_file(source_path("/tests/sass/tiny.txt")).value(); }

inline Program tiny_program() {
  const std::string text = tiny_listing();
  const auto listed = parse_listing(text).value();
  auto cubin = Cubin::parse(cubin_of(listed.front(), tiny_info()));
  return Program::join(std::move(cubin).value(), text).value();
}

inline std::vector<Words> words_of(const std::vector<Instruction>& code) {
  std::vector<Words> words;
  for (const Instruction& instruction : code) words.push_back(instruction.words);
  return words;
}

}  // namespace warpwright::sass
