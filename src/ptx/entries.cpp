// SPDX-License-Identifier: Apache-2.0
#include "ptx/entries.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "ptx/declaration.h"

namespace warpwright::ptx {
namespace {

constexpr std::uint64_t kMaxBytes = 1U << 20;

class EntryReader {
 public:
  explicit EntryReader(std::string_view ptx) : words_(ptx) {}

  Result<std::vector<Entry>> run() {
    for (auto word = words_.word(); !word.empty(); word = words_.word()) {
      if (word == ".entry") {
        WW_CHECK(entry());
      } else if (word == ".func") {
        function();
      } else if (word == ".shared") {
        for (const Declaration& d : read_declarations(words_))
          if (d.bytes <= kMaxBytes) shared_[std::string(d.name)] = static_cast<int>(d.bytes);
      }
    }
    add_module_shared();
    return std::move(entries_);
  }

 private:
  using Names = std::set<std::string, std::less<>>;

  Status entry() {
    Entry entry;
    entry.name = words_.word();
    std::string_view word = words_.word();
    if (word == "(") {
      WW_CHECK(parameters(entry));
      word = words_.word();
    }
    while (word != "{" && word != ";" && !word.empty()) {
      if (word == ".maxntid" || word == ".reqntid") {
        const int threads = dimensions(word);
        if (threads > 0)
          entry.max_threads = std::min(threads, static_cast<int>(kLimits.threads_per_block));
      } else {
        word = words_.word();
      }
    }
    // One that is only declared is defined elsewhere in the text.
    if (word == ";") return {};
    uses_.emplace_back();
    if (word == "{") body(uses_.back(), &entry);
    entries_.push_back(std::move(entry));
    return {};
  }

  Status parameters(Entry& entry) {
    std::uint64_t offset = 0;
    bool more = true;
    while (more) {
      const auto word = words_.word();
      if (word == ")") break;
      if (word != ".param") return Error{"kernel " + entry.name + ": cannot read its parameters"};
      Declaration d;
      more = read_parameter(words_, d);
      offset = (offset + d.align - 1) / d.align * d.align;
      if (d.bytes == 0 || d.bytes > kMaxBytes || offset + d.bytes > kMaxBytes)
        return Error{"kernel " + entry.name + ": a parameter of unknown size"};
      entry.parameters.push_back(
          {static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(d.bytes)});
      offset += d.bytes;
    }
    entry.parameter_bytes = static_cast<std::uint32_t>(offset);
    return {};
  }

  /// ".maxntid 256, 1, 1": the product; `word` becomes the first word after it.
  int dimensions(std::string_view& word) {
    std::uint64_t product = 1;
    for (word = words_.word();;) {
      std::uint64_t value = 0;
      const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (code != std::errc() || end != word.data() + word.size()) break;
      product = std::min(product * std::min(value, kMaxBytes), kMaxBytes);
      word = words_.word();
      if (word == ",") word = words_.word();
    }
    return static_cast<int>(product);
  }

  /// A function may be only declared.
  void function() {
    for (auto word = words_.word(); !word.empty() && word != ";"; word = words_.word())
      if (word == "{") return body(function_uses_, nullptr);
  }

  void body(Names& uses, Entry* entry) {
    int depth = 1;
    for (auto word = words_.word(); !word.empty(); word = words_.word()) {
      depth += word == "{" ? 1 : word == "}" ? -1 : 0;
      if (depth == 0) return;
      if (entry != nullptr && (word == ".shared" || word == ".local")) {
        int& bytes = word == ".shared" ? entry->shared_bytes : entry->local_bytes;
        for (const Declaration& d : read_declarations(words_))
          bytes = static_cast<int>(
              std::min<std::uint64_t>(bytes + std::min(d.bytes, kMaxBytes), 1U << 30));
      } else if (shared_.contains(word)) {
        uses.emplace(word);
      }
    }
  }

  /// Variables of the module count for the kernels that name them; what a function names counts
  /// for all, because any kernel may call it.
  void add_module_shared() {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      Names names = uses_[i];
      names.insert(function_uses_.begin(), function_uses_.end());
      for (const auto& name : names) entries_[i].shared_bytes += shared_.find(name)->second;
    }
  }

  Lexer words_;
  std::vector<Entry> entries_;
  std::vector<Names> uses_;
  Names function_uses_;
  std::map<std::string, int, std::less<>> shared_;
};

}  // namespace

Result<std::vector<Entry>> entries_of(std::string_view ptx) { return EntryReader(ptx).run(); }

}  // namespace warpwright::ptx
