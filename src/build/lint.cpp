// SPDX-License-Identifier: Apache-2.0
#include "build/lint.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/text.h"
#include "build/source_pieces.h"

namespace warpwright::build {

namespace {

constexpr std::size_t kMaxSourceBytes = std::size_t{1} << 20;

int line_at(std::string_view text, std::size_t position) {
  return 1 + static_cast<int>(
                 std::count(text.begin(), text.begin() + static_cast<long>(position), '\n'));
}

/// The position of `word` as a whole word at or after `from`.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0) {
  for (std::size_t at = text.find(word, from); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const bool starts = at == 0 || !is_word_character(text[at - 1]);
    const std::size_t end = at + word.size();
    if (starts && (end >= text.size() || !is_word_character(text[end]))) return at;
  }
  return std::string_view::npos;
}

struct Directive {
  std::string name;
  std::string rest;
  int line;
};

/// Lines as the preprocessor sees them: a backslash at the end joins the next line.
std::vector<std::pair<int, std::string>> logical_lines(std::string_view text) {
  std::vector<std::pair<int, std::string>> result;
  int number = 0;
  bool joins = false;
  for (const auto line : lines_of(text)) {
    ++number;
    if (!joins) result.emplace_back(number, std::string());
    joins = !line.empty() && line.back() == '\\';
    result.back().second += joins ? line.substr(0, line.size() - 1) : line;
  }
  return result;
}

std::vector<Directive> directives(std::string_view text) {
  std::vector<Directive> found;
  for (const auto& [number, line] : logical_lines(text)) {
    std::string_view rest = trimmed(line);
    // "%:" is another spelling of "#".
    if (rest.starts_with("#")) {
      rest.remove_prefix(1);
    } else if (rest.starts_with("%:")) {
      rest.remove_prefix(2);
    } else {
      continue;
    }
    rest = trimmed(rest);
    std::size_t end = 0;
    while (end < rest.size() && is_word_character(rest[end])) ++end;
    found.push_back(
        {std::string(rest.substr(0, end)), std::string(trimmed(rest.substr(end))), number});
  }
  return found;
}

std::string_view after_space(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n\f\v");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

int missing_solve(std::string_view stripped, std::string_view original) {
  // The literal is gone from the stripped text, so "extern" is found there and its language in
  // the original, at the same place.
  auto at = find_word(stripped, "extern");
  while (at != std::string_view::npos &&
         !after_space(original.substr(at + 6)).starts_with("\"C\"")) {
    at = find_word(stripped, "extern", at + 1);
  }
  if (at == std::string_view::npos) return 1;
  for (auto name = find_word(stripped, "solve", at); name != std::string_view::npos;
       name = find_word(stripped, "solve", name + 1)) {
    if (after_space(stripped.substr(name + 5)).starts_with("(")) return 0;
  }
  return 1;
}

int path_include(std::string_view stripped, std::string_view) {
  for (const auto& directive : directives(stripped)) {
    if (directive.name != "include" && directive.name != "import") continue;
    const std::string_view operand = directive.rest;
    const bool literal = operand.starts_with("<") || operand.starts_with("\"");
    if (!literal || operand.find("..") != std::string_view::npos ||
        operand.find('\\') != std::string_view::npos || operand.substr(1, 1) == "/" ||
        operand.substr(1, 1) == "~") {
      return directive.line;
    }
  }
  return 0;
}

/// Whether a directive begins at this place of lower-case assembler text.
bool is_directive(std::string_view text, std::size_t at, std::string_view directive) {
  const std::size_t end = at + directive.size();
  return (at == 0 || !is_word_character(text[at - 1])) &&
         (end >= text.size() || !is_word_character(text[end]));
}

/// A macro can make strings of code, so a directive may stand outside of them. There, `p.include`
/// is a member, and so is a name before '=', '{' or '('.
bool is_bare_directive(std::string_view code, std::size_t at, std::string_view directive) {
  if (!is_directive(code, at, directive)) return false;
  const std::string_view behind = after_space(code.substr(at + directive.size()));
  return (at == 0 || (code[at - 1] != ')' && code[at - 1] != ']')) &&
         (behind.empty() || std::string_view("={(").find(behind[0]) == std::string_view::npos);
}

/// The line of an assembler's directive, given in lower case, or 0.
int assembler_directive(std::string_view directive, std::string_view stripped,
                        std::string_view original) {
  for (const LiteralText& literal : literal_texts(original)) {
    for (auto at = literal.text.find(directive); at != std::string::npos;
         at = literal.text.find(directive, at + 1)) {
      if (is_directive(literal.text, at, directive)) {
        return line_at(original, literal.places[at]);
      }
    }
  }
  for (auto at = stripped.find(directive); at != std::string_view::npos;
       at = stripped.find(directive, at + 1)) {
    if (is_bare_directive(stripped, at, directive)) return line_at(stripped, at);
  }
  return 0;
}

int embedding(std::string_view stripped, std::string_view original) {
  for (const auto& directive : directives(stripped)) {
    if (directive.name == "embed" || directive.name == "include_next") return directive.line;
  }
  for (const std::string_view word : {".incbin", ".include"}) {
    if (const int line = assembler_directive(word, stripped, original); line > 0) return line;
  }
  if (const auto at = find_word(stripped, "__has_embed"); at != std::string_view::npos) {
    return line_at(stripped, at);
  }
  return 0;
}

int pragma_plugin(std::string_view stripped, std::string_view original) {
  constexpr std::array<std::string_view, 6> kWords = {
      "plugin", "comment", "dependency", "include_alias", "GCC poison", "clang module"};
  for (const auto& directive : directives(stripped)) {
    if (directive.name != "pragma") continue;
    for (const auto word : kWords) {
      if (directive.rest.find(word) != std::string_view::npos) return directive.line;
    }
  }
  if (const auto at = find_word(stripped, "_Pragma"); at != std::string_view::npos) {
    const auto end = original.find(')', at);
    const auto text = original.substr(at, end == std::string_view::npos ? 80 : end - at);
    for (const auto word : kWords) {
      if (text.find(word) != std::string_view::npos) return line_at(stripped, at);
    }
  }
  return 0;
}

int line_directive(std::string_view stripped, std::string_view) {
  for (const auto& directive : directives(stripped)) {
    // "# 12 "file"" is another spelling of "#line 12".
    const bool number =
        !directive.name.empty() && directive.name[0] >= '0' && directive.name[0] <= '9';
    if (directive.name == "line" || number) return directive.line;
  }
  return 0;
}

int code_place(std::string_view stripped, std::string_view original) {
  return assembler_directive(".loc", stripped, original);
}

// What a source may not ask at the time of compilation: who compiles it, when, from which file and
// beside which others. One that is right for the judge's compiler alone is not right.
constexpr std::array<std::string_view, 20> kBuildFacts = {
    "__clang__",         "__clang_major__",    "__clang_minor__", "__clang_patchlevel__",
    "__clang_version__", "__llvm__",           "__NVCC__",        "__CUDACC_DEBUG__",
    "__NVCOMPILER",      "__VERSION__",        "__DATE__",        "__TIME__",
    "__TIMESTAMP__",     "__BASE_FILE__",      "__FILE_NAME__",   "__INCLUDE_LEVEL__",
    "__has_include",     "__has_include_next", "__builtin_FILE",  "__builtin_source_location"};

/// Whether the name can be put together of two words or more.
bool is_joined(std::string_view name, const std::vector<std::string_view>& words) {
  std::vector<int> parts(name.size() + 1, -1);  // the least number of words up to here
  parts[0] = 0;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (parts[at] < 0) continue;
    for (const std::string_view word : words) {
      if (word == name || !name.substr(at).starts_with(word)) continue;
      parts[at + word.size()] = std::max(parts[at + word.size()], 1);
    }
  }
  return parts[name.size()] > 0;
}

/// Macros paste names together, and a line's end may stand inside of one. All of a name's parts are
/// words of the text; which words make none of the names is all that honest macros need.
int pasted_fact(std::string_view stripped) {
  constexpr std::array<std::string_view, 4> kJoins = {"##", "%:%:", "CONCAT", "\\\n"};
  const bool joins = std::any_of(kJoins.begin(), kJoins.end(), [&](std::string_view sign) {
    return stripped.find(sign) != std::string_view::npos;
  });
  if (!joins) return 0;
  std::vector<std::string_view> words;
  SourcePieces pieces(stripped);
  for (Piece piece{}; pieces.next(piece);) {
    const auto word = stripped.substr(piece.begin, piece.end - piece.begin);
    const auto is_part = [&](std::string_view name) {
      return name.find(word) != std::string_view::npos;
    };
    if (piece.kind == PieceKind::word &&
        std::any_of(kBuildFacts.begin(), kBuildFacts.end(), is_part)) {
      words.push_back(word);
    }
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  const bool found = std::any_of(kBuildFacts.begin(), kBuildFacts.end(),
                                 [&](std::string_view name) { return is_joined(name, words); });
  return found ? 1 : 0;
}

int build_facts(std::string_view stripped, std::string_view) {
  for (const std::string_view name : kBuildFacts) {
    if (const auto at = find_word(stripped, name); at != std::string_view::npos) {
      return line_at(stripped, at);
    }
  }
  return pasted_fact(stripped);
}

int too_large(std::string_view, std::string_view original) {
  return original.size() > kMaxSourceBytes ? 1 : 0;
}

// In order: the first rule guards the others against huge texts.
constexpr std::array<LintRule, 8> kRules = {{
    {"too_large", "sources above 1 MiB", "the source is larger than 1 MiB", too_large},
    {"missing_solve", "a definition of extern \"C\" solve(...)",
     "there is no function extern \"C\" void solve(...)", missing_solve},
    {"path_include", "includes by path, by macro or of parent folders",
     "includes must name a standard or CUDA header directly; paths are not allowed", path_include},
    {"embedding", "#embed, #include_next, .incbin and .include",
     "files cannot be embedded into a candidate", embedding},
    {"pragma_plugin", "pragmas that load or read something", "this #pragma is not allowed",
     pragma_plugin},
    {"line_directive", "#line", "#line is not allowed: it hides where messages come from",
     line_directive},
    {"code_place", ".loc in assembler text",
     "assembler text must not say where code comes from (.loc)", code_place},
    {"build_facts", "macros that tell the compiler, the day, the file or its neighbours apart",
     "what is compiled must not depend on the compiler, the day or other files (__clang__, "
     "__NVCC__, __DATE__, __has_include and the like); __CUDA_ARCH__ and versions are fine",
     build_facts},
}};

/// Copies a literal's quotes and blanks what is between.
void blank_literal(std::string_view in, const Piece& piece, std::string& out) {
  out[piece.begin] = in[piece.begin];
  const std::size_t last = piece.end - 1;
  if (last > piece.begin && in[last] == in[piece.begin]) out[last] = in[last];
}

/// For each byte, whether it stands on an #include line; spliced lines count as one.
std::vector<bool> include_lines(std::string_view in) {
  std::vector<bool> marks(in.size());
  std::size_t start = 0;
  while (start < in.size()) {
    std::size_t end = start;
    std::string joined;
    while (end < in.size() && in[end] != '\n') {
      if (in.substr(end, 2) == "\\\n") {
        end += 2;
      } else {
        joined += in[end++];
      }
    }
    std::string_view line = trimmed(joined);
    if (line.starts_with("#") || line.starts_with("%:")) {
      line = trimmed(line.substr(line.starts_with("#") ? 1 : 2));
      if (line.starts_with("include") || line.starts_with("import")) {
        std::fill(marks.begin() + static_cast<long>(start), marks.begin() + static_cast<long>(end),
                  true);
      }
    }
    start = end + 1;
  }
  return marks;
}

}  // namespace

std::string strip_source(std::string_view in) {
  std::string out(in.size(), ' ');
  const std::vector<bool> on_include = include_lines(in);
  SourcePieces pieces(in);
  for (Piece piece{}; pieces.next(piece);) {
    const bool is_string = piece.kind == PieceKind::string;
    if (piece.kind == PieceKind::word || piece.kind == PieceKind::other ||
        (is_string && on_include[piece.begin])) {
      std::copy(in.begin() + static_cast<long>(piece.begin),
                in.begin() + static_cast<long>(piece.end),
                out.begin() + static_cast<long>(piece.begin));
      continue;
    }
    for (std::size_t at = piece.begin; at < piece.end; ++at) {
      if (in[at] == '\n') out[at] = '\n';
    }
    if (is_string || piece.kind == PieceKind::character) blank_literal(in, piece, out);
  }
  return out;
}

std::span<const LintRule> lint_rules() { return kRules; }

std::optional<LintFinding> lint(std::string_view source) {
  const std::string stripped =
      source.size() > kMaxSourceBytes ? std::string() : strip_source(source);
  for (const auto& rule : kRules) {
    const int line = rule.check(stripped, source);
    if (line > 0) return LintFinding{std::string(rule.name), line, std::string(rule.message)};
  }
  return std::nullopt;
}

}  // namespace warpwright::build
