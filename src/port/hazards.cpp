// SPDX-License-Identifier: Apache-2.0
#include "port/hazards.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <optional>

namespace warpwright::port {

namespace {

/// Why each kind matters, for a port to HIP.
struct KindRow {
  std::string_view kind;
  bool repaired;
  std::string_view why;
};

constexpr KindRow kKinds[] = {
    {"shuffle", true,
     "a shuffle spans the whole wavefront, 64 lanes on some devices; the port keeps it within 32"},
    {"vote", true, "a vote asks the whole wavefront; the port asks the 32 lanes of the warp"},
    {"ballot", true, "HIP's ballot has 64 bits; the port takes the 32 of the lane's own half"},
    {"mask", true,
     "a 32-bit mask names half of a wavefront of 64; the port counts lanes from 0 to "
     "31 in each half"},
    {"warp_size", true, "warpSize is 64 on some devices; the port keeps warps of 32 lanes"},
    {"lane_literal", true,
     "the number 32 as the size of a warp; right as long as warps keep 32 lanes, which the port's "
     "warp functions do"},
    {"warp_constant", true,
     "a constant for the size of a warp; right as long as warps keep 32 lanes, which the port's "
     "warp functions do"},
    {"warp_synchronous", false,
     "lanes share memory without a barrier and rely on running in step; add __syncwarp() between "
     "the steps"},
    {"spin_lock", false,
     "a lane waits for another in a loop; lanes of one wavefront do not run independently on AMD "
     "devices, so this can hang: let one lane per wavefront take the lock"},
    {"tensor_core", false,
     "tensor cores work on a warp of 32 lanes with a layout of their own; use rocWMMA"},
    {"lane_register", true,
     "a lane's number or mask was read from a register of PTX; the port computes it within 32 "
     "lanes"},
};

const KindRow& row_of(std::string_view kind) {
  for (const KindRow& row : kKinds)
    if (row.kind == kind) return row;
  return kKinds[0];
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  std::string digits;
  for (const char c : text)
    if (c != '\'') digits += c;
  if (digits.find('.') != std::string::npos) return std::nullopt;
  const bool binary = digits.size() > 2 && (digits[1] | 32) == 'b' && digits[0] == '0';
  char* end = nullptr;
  const char* begin = digits.c_str() + (binary ? 2 : 0);
  const std::uint64_t value = std::strtoull(begin, &end, binary ? 2 : 0);
  for (; *end != '\0'; ++end)
    if (std::string_view("uUlLzZ").find(*end) == std::string_view::npos) return std::nullopt;
  return value;
}

bool among(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool about_warps(std::string_view name) {
  std::string lower;
  for (const char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower.find("warp") != std::string::npos || lower.find("wave") != std::string::npos ||
         lower.find("lane") != std::string::npos;
}

class Finder {
 public:
  Finder(const SourceText& source, Direction direction)
      : source_(source),
        lanes_(direction == Direction::to_hip ? 32 : 64),
        to_hip_(direction == Direction::to_hip) {}

  std::vector<Hazard> run() {
    for (std::size_t i = 0; i < source_.size(); ++i) {
      if (source_.word(i)) {
        look_at_word(i);
      } else if (source_.on_device(i)) {
        look_at_operator(i);
      }
    }
    look_for_constants();
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Hazard& a, const Hazard& b) { return a.line < b.line; });
    return std::move(found_);
  }

 private:
  void add(std::size_t i, std::string_view kind) {
    const int line = source_.line(i);
    for (const Hazard& one : found_)
      if (one.line == line && one.kind == kind) return;
    const KindRow& row = row_of(kind);
    Hazard hazard;
    hazard.line = line;
    hazard.kind = kind;
    hazard.text = source_.line_text(i);
    hazard.repaired = to_hip_ && row.repaired;
    hazard.why = to_hip_ ? std::string(row.why)
                         : "a warp of CUDA has 32 lanes where a wavefront may have 64";
    found_.push_back(std::move(hazard));
  }

  [[nodiscard]] bool call(std::size_t i) const { return source_.is(i + 1, "("); }

  void look_at_word(std::size_t i) {
    const std::string_view name = source_.at(i);
    const bool member = i > 0 && (source_.is(i - 1, ".") || source_.is(i - 1, ">"));
    if (name.starts_with("__shfl")) add(i, "shuffle");
    if (among(name,
              {"__any", "__all", "__any_sync", "__all_sync", "__uni_sync", "__match_all_sync"}))
      add(i, "vote");
    if (among(name, {"__ballot", "__ballot_sync", "__activemask", "__match_any_sync"}))
      add(i, "ballot");
    if (name == "warpSize") add(i, "warp_size");
    if (name.ends_with("_sync") && name.starts_with("__") && call(i)) look_at_mask(i + 2);
    if (among(name, {"wmma", "mma_sync", "load_matrix_sync"}) && !member) add(i, "tensor_core");
    if (name == "while" && source_.on_device(i)) look_at_loop(i);
    if (name == "volatile" && source_.on_device(i)) look_at_volatile(i);
    if ((name == "asm" || name == "__asm__" || name == "__asm") && source_.on_device(i))
      look_at_assembly(i);
  }

  void look_at_mask(std::size_t i) {
    const auto value = number_of(source_.at(i));
    const std::uint64_t all = lanes_ == 32 ? 0xffffffffULL : ~std::uint64_t{0};
    const bool negated = (source_.is(i, "-") || source_.is(i, "~")) && number_of(source_.at(i + 1));
    if ((value && *value <= all && *value > 0) || negated || about_mask(source_.at(i)))
      add(i, "mask");
  }

  static bool about_mask(std::string_view name) {
    return name.find("MASK") != std::string_view::npos ||
           name.find("mask") != std::string_view::npos;
  }

  /// % 32, / 32, & 31, >> 5, * 32, << 5, == 31, < 32 beside a thread's number.
  void look_at_operator(std::size_t i) {
    const std::string_view text = source_.at(i);
    const bool doubled = source_.touches_next(i) && source_.is(i + 1, text);
    const std::size_t right = i + (doubled ? 2 : 1);
    const auto value = number_of(source_.at(right));
    if (!value) return;
    const std::uint64_t log2 = lanes_ == 32 ? 5 : 6;
    const bool shift = doubled && text == ">" && *value == log2;
    const bool rest = text == "%" && *value == lanes_;
    const bool part = text == "/" && *value == lanes_;
    const bool bits = text == "&" && !doubled && *value == lanes_ - 1;
    const bool first = text == "<" && !doubled && *value == lanes_;
    if (rest || part || bits || shift || (first && near_thread(i))) {
      if (near_thread(i)) add(i, "lane_literal");
    }
  }

  /// A thread's number on the same line, or a name that says so.
  [[nodiscard]] bool near_thread(std::size_t i) const {
    const std::string line = source_.line_text(i);
    for (const std::string_view mark : {"threadIdx", "tid", "TID", "thread", "lane", "warp", "Lane",
                                        "Warp", "LANE", "WARP", "tx", "idx", "wid"})
      if (line.find(mark) != std::string::npos) return true;
    return false;
  }

  /// A name about warps that is given the number 32.
  void look_for_constants() {
    for (std::size_t i = 0; i + 1 < source_.size(); ++i) {
      if (!source_.word(i) || !about_warps(source_.at(i))) continue;
      const bool macro = i > 0 && source_.is(i - 1, "define");
      const std::size_t at = macro ? i + 1 : i + 2;
      if (!macro && !source_.is(i + 1, "=")) continue;
      std::size_t value_at = at;
      while (source_.is(value_at, "(")) ++value_at;
      const auto value = number_of(source_.at(value_at));
      const std::uint64_t all = lanes_ == 32 ? 0xffffffffULL : ~std::uint64_t{0};
      if (value && *value == lanes_) add(i, "warp_constant");
      if (value && *value == all) add(i, "mask");
    }
    for (std::size_t i = 0; i + 1 < source_.size(); ++i) {
      const bool macro = source_.word(i) && i > 0 && source_.is(i - 1, "define");
      if (macro && about_mask(source_.at(i)) && number_of(source_.at(i + 1)) == 0xffffffffULL)
        add(i, "mask");
    }
  }

  /// while (atomicCAS(...) ...) or while (atomicExch(...)).
  void look_at_loop(std::size_t i) {
    const std::size_t close = source_.closing(i + 1);
    for (std::size_t k = i + 2; k < close && k < source_.size(); ++k)
      if (among(source_.at(k), {"atomicCAS", "atomicExch"})) add(i, "spin_lock");
  }

  /// A volatile pointer or array in device code whose elements lanes add up in turn.
  void look_at_volatile(std::size_t i) {
    for (std::size_t k = i + 1; k < source_.size() && k < i + 12; ++k) {
      if (source_.is(k, ";") || source_.is(k, "{") || source_.is(k, "(")) return;
      if (source_.is(k, "*") || source_.is(k, "[")) return add(i, "warp_synchronous");
    }
  }

  void look_at_assembly(std::size_t i) {
    const std::string line = source_.line_text(i);
    for (const std::string_view mark : {"laneid", "lanemask", "warpid"})
      if (line.find(mark) != std::string::npos) return add(i, "lane_register");
    if (line.find("mma.") != std::string::npos) add(i, "tensor_core");
  }

  const SourceText& source_;
  std::uint64_t lanes_;
  bool to_hip_;
  std::vector<Hazard> found_;
};

}  // namespace

std::vector<Hazard> find_hazards(const SourceText& source, Direction direction) {
  return Finder(source, direction).run();
}

}  // namespace warpwright::port
