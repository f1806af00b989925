// SPDX-License-Identifier: Apache-2.0
#include "sass/cubin.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>

namespace warpwright::sass {

namespace {

constexpr std::uint16_t kMachineCuda = 190;
constexpr std::uint32_t kProgramBits = 1, kRelocationsAdd = 4, kNoBits = 8, kRelocations = 9;
constexpr std::uint64_t kExecutable = 4;
constexpr std::size_t kMostSections = 65536;
constexpr std::string_view kTextPrefix = ".text.", kInfoPrefix = ".nv.info.";

struct Section {
  std::string_view name;
  std::uint32_t type = 0;
  std::uint64_t flags = 0, offset = 0, bytes = 0;
  std::uint32_t info = 0;
};

/// Reads that stay inside of the file.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  [[nodiscard]] std::optional<T> at(std::uint64_t offset) const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  [[nodiscard]] std::optional<std::string_view> range(std::uint64_t offset,
                                                      std::uint64_t count) const {
    if (offset > bytes_.size() || bytes_.size() - offset < count) return std::nullopt;
    return bytes_.substr(offset, count);
  }

 private:
  std::string_view bytes_;
};

Error damaged(std::string_view what) {
  return Error{"this is no cubin: " + std::string(what) + "; name a file that nvcc -cubin made"};
}

std::string_view text_at(std::string_view strings, std::uint64_t offset) {
  if (offset >= strings.size()) return {};
  const std::string_view rest = strings.substr(offset);
  return rest.substr(0, std::min(rest.find('\0'), rest.size()));
}

Result<std::vector<Section>> sections_of(const Reader& file) {
  const auto table = file.at<std::uint64_t>(40);
  const auto size = file.at<std::uint16_t>(58), count = file.at<std::uint16_t>(60),
             names = file.at<std::uint16_t>(62);
  if (!table || !size || !count || !names) return damaged("its header is cut off");
  if (*size < 64 || *count > kMostSections) return damaged("its table of sections is damaged");
  std::vector<Section> sections(*count);
  std::vector<std::uint32_t> name_offsets(*count);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const std::uint64_t row = *table + i * *size;
    if (row < *table || !file.range(row, 64)) return damaged("its table of sections is cut off");
    Section& section = sections[i];
    name_offsets[i] = *file.at<std::uint32_t>(row);
    section.type = *file.at<std::uint32_t>(row + 4);
    section.flags = *file.at<std::uint64_t>(row + 8);
    section.offset = *file.at<std::uint64_t>(row + 24);
    section.bytes = *file.at<std::uint64_t>(row + 32);
    section.info = *file.at<std::uint32_t>(row + 44);
    if (section.type == 0 || section.type == kNoBits) section.bytes = 0;
    if (section.bytes > 0 && !file.range(section.offset, section.bytes))
      return damaged("section " + std::to_string(i) + " lies outside of the file");
  }
  if (*names >= sections.size()) return damaged("it has no names of sections");
  const auto strings = file.range(sections[*names].offset, sections[*names].bytes);
  if (!strings) return damaged("it has no names of sections");
  for (std::size_t i = 0; i < sections.size(); ++i)
    sections[i].name = text_at(*strings, name_offsets[i]);
  return sections;
}

/// Older files have the architecture in the lowest byte of the flags, newer ones in the second.
int architecture_of(std::uint32_t flags, unsigned char abi) {
  return static_cast<int>(abi >= 8 ? (flags >> 8) & 255 : flags & 255);
}

/// Attributes whose words are offsets into the code.
constexpr int kOffsetAttributes[] = {0x1c, 0x1d, 0x25, 0x27, 0x28, 0x31, 0x34, 0x39, 0x46, 0x55};
/// Those with words of other meanings; any other attribute with words that could be offsets is
/// taken for a list of them.
constexpr int kOtherAttributes[] = {0x04, 0x05, 0x08, 0x0a, 0x0c, 0x0d, 0x0f, 0x10, 0x11,
                                    0x12, 0x17, 0x19, 0x1b, 0x1e, 0x23, 0x29, 0x2f, 0x36,
                                    0x37, 0x3d, 0x3e, 0x42, 0x45, 0x4c, 0x50, 0x5f};

std::vector<std::uint64_t> offsets_in(int attribute, std::string_view value, std::uint64_t bytes) {
  std::vector<std::uint64_t> offsets;
  const bool known =
      std::count(std::begin(kOffsetAttributes), std::end(kOffsetAttributes), attribute) > 0;
  if (!known && std::count(std::begin(kOtherAttributes), std::end(kOtherAttributes), attribute) > 0)
    return offsets;
  for (std::size_t at = 0; at + 4 <= value.size(); at += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, value.data() + at, sizeof word);
    if (word % kWordBytes == 0 && word < bytes) {
      offsets.push_back(word);
    } else if (!known) {
      return {};
    }
  }
  return offsets;
}

/// .nv.info: format, attribute, then two bytes of value, or their number and so many bytes.
std::vector<SideTable> info_tables(std::string_view info, std::uint64_t code_bytes) {
  std::vector<SideTable> tables;
  for (std::size_t at = 0; at + 4 <= info.size();) {
    const int format = static_cast<unsigned char>(info[at]);
    const int attribute = static_cast<unsigned char>(info[at + 1]);
    std::uint16_t size = 0;
    std::memcpy(&size, info.data() + at + 2, sizeof size);
    at += 4;
    if (format != 4) continue;
    const std::string_view value = info.substr(at, size);
    at += size;
    auto offsets = offsets_in(attribute, value, code_bytes);
    if (!offsets.empty()) tables.push_back({attribute, std::move(offsets)});
  }
  return tables;
}

SideTable relocation_table(const Section& section, const Reader& file) {
  SideTable table;
  const std::uint64_t step = section.type == kRelocationsAdd ? 24 : 16;
  for (std::uint64_t at = 0; at + step <= section.bytes; at += step)
    if (const auto offset = file.at<std::uint64_t>(section.offset + at))
      table.offsets.push_back(*offset / kWordBytes * kWordBytes);
  return table;
}

CodeSection code_section(const Section& text, const std::vector<Section>& all, std::size_t number,
                         const Reader& file) {
  CodeSection code{.name = std::string(text.name.substr(kTextPrefix.size())),
                   .file_offset = text.offset,
                   .bytes = text.bytes};
  for (const Section& other : all) {
    if (other.bytes == 0) continue;
    if (other.name.starts_with(kInfoPrefix) && other.name.substr(kInfoPrefix.size()) == code.name) {
      auto tables = info_tables(*file.range(other.offset, other.bytes), text.bytes);
      code.tables.insert(code.tables.end(), std::make_move_iterator(tables.begin()),
                         std::make_move_iterator(tables.end()));
    }
    const bool moves = other.type == kRelocations || other.type == kRelocationsAdd;
    if (moves && (other.info == number || other.name.ends_with(text.name)))
      code.tables.push_back(relocation_table(other, file));
  }
  return code;
}

}  // namespace

std::set<std::uint64_t> CodeSection::pinned() const {
  std::set<std::uint64_t> offsets;
  for (const SideTable& table : tables) offsets.insert(table.offsets.begin(), table.offsets.end());
  return offsets;
}

Result<Cubin> Cubin::parse(std::string bytes) {
  Cubin cubin;
  cubin.bytes_ = std::move(bytes);
  const Reader file(cubin.bytes_);
  const auto ident = file.range(0, 16);
  if (!ident || !ident->starts_with("\x7f"
                                    "ELF"))
    return damaged("it does not begin as an ELF file");
  if ((*ident)[4] != 2 || (*ident)[5] != 1)
    return damaged("it is no 64-bit little-endian ELF file");
  const auto machine = file.at<std::uint16_t>(18);
  const auto flags = file.at<std::uint32_t>(48);
  if (!machine || !flags || *machine != kMachineCuda) return damaged("it is not for a CUDA device");
  cubin.architecture_ = architecture_of(*flags, static_cast<unsigned char>((*ident)[8]));
  if (cubin.architecture_ < 70 || cubin.architecture_ > 90)
    return Error{"the cubin is for sm_" + std::to_string(cubin.architecture_) +
                 "; machine code is understood from sm_70 to sm_90"};
  WW_TRY(const auto sections, sections_of(file));
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const Section& section = sections[i];
    const bool code = section.type == kProgramBits && (section.flags & kExecutable) != 0 &&
                      section.name.starts_with(kTextPrefix);
    if (!code || section.bytes == 0) continue;
    if (section.bytes % kWordBytes != 0) return damaged("a section of code is cut off");
    cubin.sections_.push_back(code_section(section, sections, i, file));
  }
  return cubin;
}

Words Cubin::words(const CodeSection& section, std::size_t index) const {
  Words words;
  ASSERT(index < section.instructions(), "an instruction beyond its section");
  const char* at = bytes_.data() + section.file_offset + index * kWordBytes;
  std::memcpy(&words.low, at, sizeof words.low);
  std::memcpy(&words.high, at + sizeof words.low, sizeof words.high);
  return words;
}

void Cubin::set_words(const CodeSection& section, std::size_t index, const Words& words) {
  ASSERT(index < section.instructions(), "an instruction beyond its section");
  char* at = bytes_.data() + section.file_offset + index * kWordBytes;
  std::memcpy(at, &words.low, sizeof words.low);
  std::memcpy(at + sizeof words.low, &words.high, sizeof words.high);
}

std::string attribute_name(int attribute) {
  switch (attribute) {
    case 0:
      return "relocations";
    case 0x1c:
      return "EXIT_INSTR_OFFSETS";
    case 0x1d:
      return "S2RCTAID_INSTR_OFFSETS";
    case 0x25:
      return "LD_CACHEMOD_INSTR_OFFSETS";
    case 0x27:
      return "ATOM_SYS_INSTR_OFFSETS";
    case 0x28:
      return "COOP_GROUP_INSTR_OFFSETS";
    case 0x31:
      return "INT_WARP_WIDE_INSTR_OFFSETS";
    case 0x34:
      return "INDIRECT_BRANCH_TARGETS";
    case 0x39:
      return "MBARRIER_INSTR_OFFSETS";
    default:
      return "attribute " + std::to_string(attribute);
  }
}

}  // namespace warpwright::sass
