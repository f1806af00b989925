// SPDX-License-Identifier: Apache-2.0
#include "build/parameter_reads.h"

#include <algorithm>
#include <charconv>

#include "ptx/lexer.h"

namespace warpwright::build {

namespace {

/// The bytes that "ld.param.v2.f32" reads; 0 = not such an instruction.
std::size_t loaded_bytes(std::string_view instruction) {
  if (!instruction.starts_with("ld.param")) return 0;
  const auto digits = instruction.find_last_not_of("0123456789");
  std::size_t bits = 0;
  std::from_chars(instruction.data() + digits + 1, instruction.data() + instruction.size(), bits);
  const std::size_t lanes = instruction.find(".v4") != std::string_view::npos   ? 4
                            : instruction.find(".v2") != std::string_view::npos ? 2
                                                                                : 1;
  return bits / 8 * lanes;
}

/// One kernel, from its head to the end of its body.
class Scan {
 public:
  Scan(ptx::Lexer& lexer, const ptx::Entry& entry) : lexer_(lexer), entry_(entry) {
    bytes_.assign(entry.parameter_bytes, false);
  }

  std::vector<bool> run() {
    std::string_view word = lexer_.word();
    if (word == "(") {
      for (word = lexer_.word(); !word.empty() && word != ")"; word = lexer_.word()) {
        if (ptx::is_name(word)) names_.push_back(word);
      }
    }
    while (!word.empty() && word != "{" && word != ";") word = lexer_.word();
    if (word == "{") body();
    if (names_.size() != entry_.parameters.size()) bytes_.assign(bytes_.size(), true);
    return std::move(bytes_);
  }

 private:
  void body() {
    int depth = 1;
    std::string instruction;
    std::string_view before = "{";
    for (auto word = lexer_.word(); !word.empty(); word = lexer_.word()) {
      depth += word == "{" ? 1 : word == "}" ? -1 : 0;
      if (depth == 0) return;
      const auto found = std::find(names_.begin(), names_.end(), word);
      if (found != names_.end()) {
        use(static_cast<std::size_t>(found - names_.begin()), before == "[", instruction);
      } else if (ptx::is_name(word) && word.find('.') != std::string_view::npos) {
        instruction = ptx::plain(word);
      }
      before = word;
    }
  }

  void use(std::size_t parameter, bool bracketed, const std::string& instruction) {
    if (parameter >= entry_.parameters.size()) return;
    const auto [start, size] = entry_.parameters[parameter];
    std::size_t offset = 0, bytes = bracketed ? loaded_bytes(instruction) : 0;
    if (bytes != 0) {
      auto word = lexer_.word();
      if (word == "+") {
        word = lexer_.word();
        const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), offset);
        if (code != std::errc() || end != word.data() + word.size()) bytes = 0;
        word = lexer_.word();
      }
      if (word != "]") bytes = 0;
    }
    const bool known = bytes != 0 && offset <= size && bytes <= size - offset;
    const std::size_t first = start + (known ? offset : 0);
    const std::size_t count = known ? bytes : size;
    for (std::size_t i = first; i < first + count && i < bytes_.size(); ++i) bytes_[i] = true;
  }

  ptx::Lexer& lexer_;
  const ptx::Entry& entry_;
  std::vector<std::string_view> names_;
  std::vector<bool> bytes_;
};

}  // namespace

ParameterReads::ParameterReads(std::string_view ptx, const std::vector<ptx::Entry>& entries) {
  ptx::Lexer lexer(ptx);
  for (auto word = lexer.word(); !word.empty(); word = lexer.word()) {
    if (word != ".entry") continue;
    const std::string name(lexer.word());
    const auto entry = std::find_if(entries.begin(), entries.end(),
                                    [&](const ptx::Entry& known) { return known.name == name; });
    if (entry != entries.end()) read_[name] = Scan(lexer, *entry).run();
  }
}

bool ParameterReads::reads(std::string_view kernel, std::size_t position) const {
  const auto found = read_.find(kernel);
  return found == read_.end() || position >= found->second.size() || found->second[position];
}

}  // namespace warpwright::build
