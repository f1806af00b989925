// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sass/control.h"

namespace warpwright::sass {

inline constexpr std::uint64_t kWordBytes = 16;  ///< of an instruction

/// Offsets that a table beside the code names: what stands there must stay there.
struct SideTable {
  int attribute = 0;  ///< of .nv.info; 0 = relocations
  std::vector<std::uint64_t> offsets;
};

/// The machine code of one section, and what the file says about it.
struct CodeSection {
  std::string name;  ///< without ".text."
  std::uint64_t file_offset = 0;
  std::uint64_t bytes = 0;
  std::vector<SideTable> tables;

  [[nodiscard]] std::size_t instructions() const { return bytes / kWordBytes; }
  [[nodiscard]] std::set<std::uint64_t> pinned() const;
};

/// A compiled module: an ELF file of which we read sections, and write nothing but instructions.
class Cubin {
 public:
  /// Any bytes give a cubin or an error. Volta to Hopper: instructions of 128 bits.
  static Result<Cubin> parse(std::string bytes);

  [[nodiscard]] int architecture() const { return architecture_; }  ///< 90 for sm_90
  [[nodiscard]] const std::vector<CodeSection>& sections() const { return sections_; }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

  [[nodiscard]] Words words(const CodeSection& section, std::size_t index) const;
  void set_words(const CodeSection& section, std::size_t index, const Words& words);

 private:
  std::string bytes_;
  int architecture_ = 0;
  std::vector<CodeSection> sections_;
};

/// "EXIT_INSTR_OFFSETS", or the number.
std::string attribute_name(int attribute);

}  // namespace warpwright::sass
