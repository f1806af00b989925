// SPDX-License-Identifier: Apache-2.0
#include "port/build_flags.h"

#include <algorithm>

#include "base/files.h"
#include "base/text.h"

namespace warpwright::port {

namespace {

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : line) {
    if (c != ' ' && c != '\t') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

void add_once(std::vector<std::string>& list, std::string value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(std::move(value));
}

std::string without_quotes(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '"') {
      result += '"';
      ++i;
    } else if (text[i] != '"' && text[i] != '\'') {
      result += text[i];
    }
  }
  return result;
}

/// Flags of nvcc that hipcc has not, and how many words follow each.
struct FlagRow {
  std::string_view flag;
  bool starts;      ///< the flag may go on in the same word
  bool takes_next;  ///< the next word belongs to it
};

constexpr FlagRow kNvccFlags[] = {
    {"-arch=", true, false},
    {"--gpu-architecture=", true, false},
    {"-arch", false, true},
    {"-gencode=", true, false},
    {"-gencode", false, true},
    {"--expt-relaxed-constexpr", false, false},
    {"-expt-relaxed-constexpr", false, false},
    {"--expt-extended-lambda", false, false},
    {"--extended-lambda", false, false},
    {"-extended-lambda", false, false},
    {"-lineinfo", false, false},
    {"--use_fast_math", false, false},
    {"-use_fast_math", false, false},
    {"-lcudart", false, false},
    {"-lcuda", false, false},
    {"-rdc=true", false, false},
    {"-Xptxas", false, true},
    {"--ptxas-options", true, false},
    {"-maxrregcount", true, false},
    {"-ccbin=", true, false},
    {"-ccbin", false, true},
    {"-code=", true, false},
};

std::string changed_words(std::string_view line) {
  std::string result;
  std::size_t at = 0;
  bool drop_next = false;
  while (at < line.size()) {
    const std::size_t begin = std::min(line.find_first_not_of(" \t", at), line.size());
    const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
    const std::string_view gap = line.substr(at, begin - at);
    const std::string_view word = line.substr(begin, end - begin);
    at = end;
    if (drop_next) {
      drop_next = false;
      continue;
    }
    const auto row = std::find_if(
        std::begin(kNvccFlags), std::end(kNvccFlags),
        [&](const FlagRow& r) { return r.starts ? word.starts_with(r.flag) : word == r.flag; });
    if (row != std::end(kNvccFlags)) {
      drop_next = row->takes_next;
      continue;
    }
    if (word == "-Xcompiler") continue;
    result += gap;
    const std::size_t name = word.rfind("nvcc");
    const bool compiler = name != std::string_view::npos && name + 4 == word.size();
    const std::size_t equals = word.rfind('=', name);
    if (compiler && equals != std::string_view::npos) {
      result += std::string(word.substr(0, equals + 1)) + "hipcc";
    } else {
      result += compiler ? "hipcc" : std::string(word);
    }
  }
  return result;
}

std::string changed_makefile(std::string_view text) {
  std::string result =
      "# Carried over to HIP by warpwright port: nvcc became hipcc, flags that only nvcc "
      "has are gone.\n";
  for (const std::string_view line : lines_of(text)) {
    const bool comment = trimmed(line).starts_with("#");
    // A tab at the begin means a command to make.
    result += comment ? std::string(line) : changed_words(line);
    result += '\n';
  }
  return result;
}

}  // namespace

BuildFlags build_flags_of(std::string_view makefile) {
  BuildFlags flags;
  for (const std::string_view line : lines_of(makefile)) {
    if (trimmed(line).starts_with("#")) continue;
    for (const std::string& word : words_of(line)) {
      if (word.size() < 3 || word.find('$') != std::string::npos) continue;
      const std::string_view flag = std::string_view(word).substr(0, 2);
      if (flag == "-D") add_once(flags.defines, without_quotes(word.substr(2)));
      if (flag == "-I") add_once(flags.includes, without_quotes(word.substr(2)));
      if (word.starts_with("-std=")) flags.standard = word.substr(5);
      if (word.starts_with("--std=")) flags.standard = word.substr(6);
    }
  }
  std::erase_if(flags.defines,
                [](const std::string& one) { return one == "DEBUG" || one.empty(); });
  return flags;
}

BuildFlags build_flags_in(const std::filesystem::path& folder) {
  constexpr std::size_t kLargestMakefile = std::size_t{4} << 20;
  for (const std::string_view name : {"Makefile", "makefile", "GNUmakefile"}) {
    const auto text = read_file(folder / name, kLargestMakefile);
    if (text.ok()) return build_flags_of(*text);
  }
  return {};
}

bool is_build_file(std::string_view name) {
  return name == "Makefile" || name == "makefile" || name == "GNUmakefile" ||
         name == "CMakeLists.txt" || name.ends_with(".mk") || name.ends_with(".cmake");
}

std::string changed_build_file(std::string_view name, std::string_view text, Direction direction) {
  const bool make = name.ends_with("akefile") || name.ends_with(".mk");
  if (make && direction == Direction::to_hip) return changed_makefile(text);
  const std::string note = direction == Direction::to_hip
                               ? "# Carried over to HIP by warpwright port. To do: the language "
                                 "HIP instead of CUDA, and "
                                 "hipcc or clang as the compiler.\n"
                               : "# Carried over to CUDA by warpwright port. To do: the language "
                                 "CUDA instead of HIP, and "
                                 "nvcc as the compiler.\n";
  return note + std::string(text);
}

}  // namespace warpwright::port
