// SPDX-License-Identifier: Apache-2.0
#include "ptx/census.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "ptx/lexer.h"

namespace warpwright::ptx {

namespace {

constexpr std::size_t kMaxExample = 80;

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// The qualifiers of an opcode: "cvt.rn.f16.f32" -> cvt, rn, f16, f32.
std::vector<std::string_view> parts_of(std::string_view opcode) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  while (start <= opcode.size()) {
    const auto dot = std::min(opcode.find('.', start), opcode.size());
    parts.push_back(opcode.substr(start, dot - start));
    start = dot + 1;
  }
  return parts;
}

/// The element type behind a qualifier ("f16x2" -> f16, "e4m3x2" -> f8); empty for all others.
std::string_view low_precision(std::string_view type) {
  if (type == "f16" || type == "f16x2") return "f16";
  if (type == "bf16" || type == "bf16x2") return "bf16";
  if (type == "tf32") return "tf32";
  for (const std::string_view small : {"e4m3", "e5m2", "e2m1", "e2m3", "e3m2", "ue8m0"}) {
    if (type.starts_with(small)) return "f8";
  }
  return {};
}

std::string_view tensor_kind(const std::vector<std::string_view>& parts) {
  constexpr std::string_view kKind = "kind::";
  for (std::string_view part : parts) {
    if (part.starts_with(kKind)) part.remove_prefix(kKind.size());
    const auto low = low_precision(part);
    if (low == "tf32") return "tensor_tf32";
    if (low == "bf16") return "tensor_bf16";
    if (low == "f8" || part == "f8f6f4" || part.starts_with("mxf")) return "tensor_f8";
    if (low == "f16") return "tensor_f16";
    if (part == "s8" || part == "u8" || part == "s4" || part == "u4" || part == "b1" ||
        part == "i8") {
      return "tensor_int";
    }
    if (part == "f64") return "tensor_f64";
  }
  // wmma names the types of its factors only where they are not FP16.
  return "tensor_f16";
}

bool is_tensor_product(const std::vector<std::string_view>& parts) {
  if (parts[0] == "mma") return true;
  if (parts.size() < 2) return false;
  return (parts[0] == "wmma" || parts[0] == "wgmma" || parts[0] == "tcgen05") &&
         parts[1].starts_with("mma");
}

/// "f32", "s16", "b64", "u8": the types that are no lower precision.
bool is_plain_type(std::string_view part) {
  return part.size() >= 2 && has("fsub", part.substr(0, 1)) && part[1] >= '0' && part[1] <= '9';
}

/// cvt.MODIFIERS.TO.FROM; ptxas takes modifiers behind the types as well.
std::string_view conversion_kind(const std::vector<std::string_view>& parts) {
  bool first_type = true;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto low = low_precision(parts[i]);
    if (low.empty()) {
      first_type = first_type && !is_plain_type(parts[i]);
      continue;
    }
    if (!first_type) return "from_low";
    if (low == "f16") return "to_f16";
    if (low == "bf16") return "to_bf16";
    return low == "tf32" ? "to_tf32" : "to_f8";
  }
  return {};
}

std::string_view arithmetic_kind(const std::vector<std::string_view>& parts) {
  constexpr std::array<std::string_view, 15> kOpcodes = {"add", "sub",  "mul",  "fma", "neg",
                                                         "abs", "min",  "max",  "ex2", "tanh",
                                                         "set", "setp", "atom", "red", "multimem"};
  if (std::find(kOpcodes.begin(), kOpcodes.end(), parts[0]) == kOpcodes.end()) return {};
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto low = low_precision(parts[i]);
    if (low == "f16") return "f16_arithmetic";
    if (low == "bf16") return "bf16_arithmetic";
  }
  return {};
}

bool is_clock(std::string_view word) {
  constexpr std::array<std::string_view, 6> kClocks = {
      "%clock", "%clock_hi", "%clock64", "%globaltimer", "%globaltimer_lo", "%globaltimer_hi"};
  return std::find(kClocks.begin(), kClocks.end(), word) != kClocks.end();
}

/// Registers that tell where a thread runs, or under what. %envreg1 and 2 are the address of a
/// cooperative grid's barrier, which the library reads.
bool is_place(std::string_view word) {
  constexpr std::array<std::string_view, 5> kPlaces = {"%smid", "%nsmid", "%gridid", "%warpid",
                                                       "%nwarpid"};
  constexpr std::array<std::string_view, 4> kFamilies = {"%pm", "%envreg", "%reserved_smem",
                                                         "%current_graph"};
  if (word == "%envreg1" || word == "%envreg2") return false;
  const auto begins = [&](std::string_view name) {
    if (!word.starts_with(name)) return false;
    // "%pm" is a family of counters, "%pmap" some register of the compiler's.
    return name != "%pm" || (word.size() > 3 && word[3] >= '0' && word[3] <= '9');
  };
  return std::find(kPlaces.begin(), kPlaces.end(), word) != kPlaces.end() ||
         std::any_of(kFamilies.begin(), kFamilies.end(), begins);
}

bool pins_cache(std::string_view word) {
  return has(word, "L2::evict_last") || has(word, "L2::cache_hint") ||
         (word.starts_with("createpolicy") && has(word, "evict_last"));
}

/// What one word means for the census; empty for nearly all of them.
std::string_view kind_of(std::string_view word) {
  if (word.front() == '%') {
    if (is_clock(word)) return "clock";
    return is_place(word) ? "place" : std::string_view();
  }
  if (word == "malloc") return "device_heap";
  if (word.find('.') == std::string_view::npos) return {};
  if (pins_cache(word)) return "cache_pinning";
  const auto parts = parts_of(word);
  if (is_tensor_product(parts)) return tensor_kind(parts);
  if (parts[0] == "cvt") return conversion_kind(parts);
  return arithmetic_kind(parts);
}

/// Rows in the order of census_kinds().
class Counter {
 public:
  void add(std::string_view kind, std::string_view example, int line) {
    auto row = std::find_if(rows_.begin(), rows_.end(),
                            [&](const CensusRow& known) { return known.kind == kind; });
    if (row == rows_.end()) {
      rows_.push_back({std::string(kind), 0, line, std::string(example.substr(0, kMaxExample))});
      row = std::prev(rows_.end());
    }
    ++row->count;
  }

  std::vector<CensusRow> rows() {
    std::vector<CensusRow> sorted;
    for (const auto& kind : census_kinds()) {
      for (auto& row : rows_) {
        if (row.kind == kind.name) sorted.push_back(std::move(row));
      }
    }
    return sorted;
  }

 private:
  std::vector<CensusRow> rows_;
};

int integer_of(std::string_view word) {
  int value = 0;
  std::from_chars(word.data(), word.data() + word.size(), value);
  return value;
}

/// Numbers of `.file N "path"`. nvcc writes them at the module's end.
struct FileNumbers {
  std::vector<int> candidate;  ///< paths that end in the candidate's name
  std::vector<int> clock;      ///< the toolkit's C++ library: what reads its clock
  std::vector<int> waiting;    ///< and what waits, a little longer each time
};

FileNumbers file_numbers(std::string_view ptx, std::string_view source_file) {
  FileNumbers numbers;
  Lexer lexer(ptx);
  for (auto word = lexer.word(); !word.empty(); word = lexer.word()) {
    if (word != ".file") continue;
    const int number = integer_of(lexer.word());
    std::string_view path = lexer.word();
    if (path.size() < 2 || path.front() != '"') continue;
    path = path.substr(1, path.size() - 2);
    const std::string_view name = path.substr(path.rfind('/') + 1);
    if (name == source_file) numbers.candidate.push_back(number);
    if (!has(path, "/cuda/std/")) continue;
    if (name == "chrono.h" || name == "chrono") numbers.clock.push_back(number);
    if (has(name, "threading_support")) numbers.waiting.push_back(number);
  }
  return numbers;
}

/// Where the code comes from, by its `.loc` lines.
class Place {
 public:
  explicit Place(const FileNumbers& files) : files_(files) {}

  /// Behind ".loc".
  void read(Lexer& lexer) {
    const int file = integer_of(lexer.word());
    const int line = integer_of(lexer.word());
    if (contains(files_.candidate, file)) line_ = line;
    in_clock_ = contains(files_.clock, file);
    in_wait_ = false;
  }

  /// Behind "inlined_at".
  void read_caller(Lexer& lexer) {
    in_wait_ = in_clock_ && contains(files_.waiting, integer_of(lexer.word()));
  }

  [[nodiscard]] int line() const { return line_; }

  /// The library's barriers and pipelines wait in one function, which reads the time once where it
  /// begins and once per round; each read has a `.loc` of its own. Calls of that clock from
  /// elsewhere are the candidate's.
  bool take_wait() { return std::exchange(in_wait_, false); }

 private:
  static bool contains(const std::vector<int>& list, int number) {
    return std::find(list.begin(), list.end(), number) != list.end();
  }

  const FileNumbers& files_;
  int line_ = 0;
  bool in_clock_ = false;
  bool in_wait_ = false;
};

}  // namespace

const std::vector<CensusKind>& census_kinds() {
  using enum CensusTopic;
  static const std::vector<CensusKind> kinds = {
      {"tensor_tf32", precision, "tensor-core products of TF32"},
      {"tensor_f16", precision, "tensor-core products of FP16"},
      {"tensor_bf16", precision, "tensor-core products of BF16"},
      {"tensor_f8", precision, "tensor-core products of FP8 or less"},
      {"tensor_int", precision, "tensor-core products of small integers"},
      {"tensor_f64", precision, "tensor-core products of FP64"},
      {"to_f16", precision, "conversions to FP16"},
      {"to_bf16", precision, "conversions to BF16"},
      {"to_tf32", precision, "conversions to TF32"},
      {"to_f8", precision, "conversions to FP8 or less"},
      {"from_low", precision, "conversions from a lower precision"},
      {"f16_arithmetic", precision, "FP16 operations"},
      {"bf16_arithmetic", precision, "BF16 operations"},
      {"cache_pinning", cache, "requests to keep data in the L2 cache"},
      {"clock", clock, "reads of a clock"},
      {"place", place, "reads of registers that tell where a kernel runs"},
      {"device_heap", heap, "uses of the device-side heap"},
      {"hidden_state", state, "variables in global memory that a kernel's body declares"},
  };
  return kinds;
}

const CensusKind* census_kind(std::string_view name) {
  for (const auto& kind : census_kinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

std::vector<CensusRow> census_of(std::string_view ptx, std::string_view source_file) {
  const FileNumbers files = file_numbers(ptx, source_file);
  Place place(files);
  Counter counter;
  Lexer lexer(ptx);
  int depth = 0;
  std::string_view before;
  for (auto word = lexer.word(); !word.empty(); before = word, word = lexer.word()) {
    if (word == "{") ++depth;
    if (word == "}") --depth;
    if (word == ".loc") {
      place.read(lexer);
    } else if (word == "inlined_at") {
      place.read_caller(lexer);
    } else if (word == ".global" || word == ".const") {
      // Compilers declare variables outside of bodies only; in there, nobody could reset them.
      if (depth > 0 && before != ".ptr") counter.add("hidden_state", word, place.line());
    } else if (word == "malloc" && depth == 0) {
      continue;  // its declaration
    } else {
      const std::string joined = plain(word);
      const auto kind = kind_of(joined);
      if (kind.empty() || (joined == "%globaltimer" && place.take_wait())) continue;
      counter.add(kind, joined, place.line());
    }
  }
  return counter.rows();
}

namespace {

std::string_view sass_kind(std::string_view opcode, std::string_view operands) {
  if (opcode.starts_with("HMMA") || opcode.starts_with("HGMMA")) {
    if (has(opcode, "TF32")) return "tensor_tf32";
    return has(opcode, "BF16") ? "tensor_bf16" : "tensor_f16";
  }
  if (opcode.starts_with("QMMA") || opcode.starts_with("QGMMA")) return "tensor_f8";
  if (opcode.starts_with("IMMA") || opcode.starts_with("IGMMA") || opcode.starts_with("BMMA")) {
    return "tensor_int";
  }
  if (opcode.starts_with("DMMA")) return "tensor_f64";
  if (opcode.starts_with("F2F")) {
    if (has(opcode, "TF32")) return "to_tf32";
    if (has(opcode, "BF16")) return "to_bf16";
    if (has(opcode, "E4M3") || has(opcode, "E5M2")) return "to_f8";
    return has(opcode, ".F16") ? "to_f16" : std::string_view();
  }
  for (const std::string_view half : {"HADD2", "HMUL2", "HFMA2", "HMNMX2", "HSET2", "HSETP2"}) {
    if (!opcode.starts_with(half)) continue;
    if (has(operands, "RZ, RZ")) return {};
    return has(opcode, "BF16") ? "bf16_arithmetic" : "f16_arithmetic";
  }
  return {};
}

}  // namespace

std::vector<CensusRow> sass_census(std::string_view listing) {
  Counter counter;
  for (std::string_view line : lines_of(listing)) {
    // "        /*0090*/                   HMMA.1688.F32.TF32 R4, R8, R10, R4 ;"
    line = trimmed(line);
    if (!line.starts_with("/*")) continue;
    const auto end = line.find("*/");
    if (end == std::string_view::npos) continue;
    line = trimmed(line.substr(end + 2));
    if (line.starts_with("@")) line = trimmed(line.substr(std::min(line.find(' '), line.size())));
    if (line.starts_with("{")) line = trimmed(line.substr(1));
    const auto blank = std::min(line.find_first_of(" \t;"), line.size());
    const auto kind = sass_kind(line.substr(0, blank), line.substr(blank));
    if (!kind.empty()) counter.add(kind, line.substr(0, blank), 0);
  }
  return counter.rows();
}

std::string describe(const std::vector<CensusRow>& rows) {
  std::string text;
  for (const auto& row : rows) {
    const CensusKind* kind = census_kind(row.kind);
    if (kind == nullptr) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(row.count) + " " + std::string(kind->what) +
            " (" + row.example + ")";
  }
  return text;
}

}  // namespace warpwright::ptx
