// SPDX-License-Identifier: Apache-2.0
#include "ptx/entries.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>

#include "ptx/lexer.h"

namespace warpwright::build {

namespace {

constexpr std::uint32_t kMaxBytes = 1U << 20;

struct TypeRow {
  std::string_view name;
  std::uint32_t bytes;
};

constexpr std::array<TypeRow, 17> kTypes = {{{".b8", 1},
                                             {".u8", 1},
                                             {".s8", 1},
                                             {".b16", 2},
                                             {".u16", 2},
                                             {".s16", 2},
                                             {".f16", 2},
                                             {".b32", 4},
                                             {".u32", 4},
                                             {".s32", 4},
                                             {".f32", 4},
                                             {".b64", 8},
                                             {".u64", 8},
                                             {".s64", 8},
                                             {".f64", 8},
                                             {".b128", 16},
                                             {".f16x2", 4}}};

std::optional<std::uint32_t> number(std::string_view word) {
  std::uint32_t value = 0;
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (code != std::errc() || end != word.data() + word.size() || value > kMaxBytes) {
    return std::nullopt;
  }
  return value;
}

std::uint32_t type_bytes(std::string_view word) {
  for (const auto& row : kTypes) {
    if (row.name == word) return row.bytes;
  }
  return 0;
}

/// ".align 16 .b8 name[64]", the part that parameters and variables share.
struct Declaration {
  std::string_view name;
  std::uint32_t element = 0;
  std::uint32_t count = 1;
  std::uint32_t align = 0;
  std::string_view ended_by;

  [[nodiscard]] std::uint64_t bytes() const { return std::uint64_t{element} * count; }
};

Declaration declaration(PtxLexer& lexer) {
  Declaration found;
  bool pointer = false;
  for (std::string_view word = lexer.next(); !word.empty(); word = lexer.next()) {
    if (word == "," || word == ")" || word == ";" || word == "=") {
      found.ended_by = word;
      break;
    }
    if (word == ".ptr") pointer = true;  // what follows describes the target, not the parameter
    if (word == ".align") {
      const auto value = number(lexer.next()).value_or(0);
      if (!pointer) found.align = value;
    } else if (word == "[") {
      found.count *= number(lexer.next()).value_or(0);
    } else if (const auto bytes = type_bytes(word); bytes != 0) {
      found.element = bytes;
    } else if (word.front() != '.' && word != "]") {
      found.name = word;
    }
  }
  if (found.align == 0) found.align = std::max<std::uint32_t>(found.element, 1);
  return found;
}

class Parser {
 public:
  explicit Parser(std::string_view ptx) : lexer_(ptx) {}

  Result<std::vector<PtxEntry>> run() {
    for (std::string_view word = lexer_.next(); !word.empty(); word = lexer_.next()) {
      if (word == ".entry") {
        WW_CHECK(entry());
      } else if (word == ".func") {
        body(function_uses_);
      } else if (word == ".shared") {
        const Declaration variable = declaration(lexer_);
        if (variable.bytes() <= kMaxBytes) shared_[std::string(variable.name)] = variable.bytes();
      }
    }
    add_module_shared();
    return std::move(entries_);
  }

 private:
  Status entry() {
    PtxEntry entry;
    entry.name = lexer_.next();
    std::string_view word = lexer_.next();
    if (word == "(") {
      WW_CHECK(parameters(entry));
      word = lexer_.next();
    }
    uses_.emplace_back();
    int threads = 0;
    while (word != "{" && word != ";" && !word.empty()) {
      if (word == ".maxntid" || word == ".reqntid") {
        threads = dimensions(word);
      } else {
        word = lexer_.next();
      }
    }
    if (threads > 0) entry.max_threads = std::min(threads, 1024);
    if (word == "{") inside(uses_.back(), &entry);
    entries_.push_back(std::move(entry));
    return {};
  }

  Status parameters(PtxEntry& entry) {
    std::uint64_t offset = 0;
    for (std::string_view word = lexer_.next(); word != ")"; word = lexer_.next()) {
      if (word != ".param") return Error{"kernel " + entry.name + ": cannot read its parameters"};
      const Declaration parameter = declaration(lexer_);
      const std::uint64_t bytes = parameter.bytes();
      offset = (offset + parameter.align - 1) / parameter.align * parameter.align;
      if (bytes == 0 || offset + bytes > kMaxBytes) {
        return Error{"kernel " + entry.name + ": a parameter of unknown size"};
      }
      entry.parameters.push_back(
          {static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(bytes)});
      offset += bytes;
      if (parameter.ended_by == ")") break;
    }
    entry.parameter_bytes = static_cast<std::uint32_t>(offset);
    return {};
  }

  /// ".maxntid 256, 1, 1": the product; `word` becomes the first word after it.
  int dimensions(std::string_view& word) {
    std::uint64_t product = 1;
    word = lexer_.next();
    while (const auto value = number(word)) {
      product = std::min<std::uint64_t>(product * *value, kMaxBytes);
      word = lexer_.next();
      if (word == ",") word = lexer_.next();
    }
    return static_cast<int>(product);
  }

  void body(std::vector<std::string>& uses) {
    for (std::string_view word = lexer_.next(); !word.empty() && word != ";";
         word = lexer_.next()) {
      if (word == "{") {
        inside(uses, nullptr);
        return;
      }
    }
  }

  void inside(std::vector<std::string>& uses, PtxEntry* entry) {
    int depth = 1;
    for (std::string_view word = lexer_.next(); !word.empty() && depth > 0;) {
      if (word == "{") ++depth;
      if (word == "}" && --depth == 0) return;
      if (entry != nullptr && (word == ".shared" || word == ".local")) {
        const std::uint64_t bytes = std::min<std::uint64_t>(declaration(lexer_).bytes(), kMaxBytes);
        (word == ".shared" ? entry->shared_bytes : entry->local_bytes) += static_cast<int>(bytes);
      } else if (shared_.contains(std::string(word))) {
        uses.emplace_back(word);
      }
      word = lexer_.next();
    }
  }

  /// Variables of the module count for the kernels that name them; what a function names counts
  /// for all, because any kernel may call it.
  void add_module_shared() {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      auto names = uses_[i];
      names.insert(names.end(), function_uses_.begin(), function_uses_.end());
      std::sort(names.begin(), names.end());
      names.erase(std::unique(names.begin(), names.end()), names.end());
      for (const auto& name : names) {
        entries_[i].shared_bytes += static_cast<int>(shared_[name]);
      }
    }
  }

  PtxLexer lexer_;
  std::vector<PtxEntry> entries_;
  std::vector<std::vector<std::string>> uses_;
  std::vector<std::string> function_uses_;
  std::map<std::string, std::uint64_t> shared_;
};

}  // namespace

Result<std::vector<PtxEntry>> ptx_entries(std::string_view ptx) { return Parser(ptx).run(); }

}  // namespace warpwright::build
