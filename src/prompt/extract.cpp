// SPDX-License-Identifier: Apache-2.0
#include "prompt/extract.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "core/json_reader.h"
#include "prompt/code_shape.h"
#include "prompt/reply_blocks.h"

namespace warpwright::prompt {

namespace {

using Found = std::optional<std::string>;

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

template <class List>
bool is_one_of(std::string_view text, const List& list) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

/// Calls visit(line) until it returns false.
template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    if (!visit(text.substr(0, end))) return;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// Clean UTF-8 with LF line ends, without the invisible characters that break a compiler.
std::string normalised(std::string_view reply) {
  std::string ends(reply);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (ends[i] == '\r' && (i + 1 == ends.size() || ends[i + 1] != '\n')) ends[i] = '\n';
  }
  const std::string clean = clean_utf8(ends);
  std::string out;
  out.reserve(clean.size());
  for (std::size_t i = 0; i < clean.size();) {
    const std::string_view rest = std::string_view(clean).substr(i, 3);
    if (rest.starts_with("\xC2\xA0")) {  // no-break space
      out += ' ';
      i += 2;
    } else if (rest == "\xE2\x80\x8B" || rest == "\xEF\xBB\xBF") {  // zero-width space, BOM
      i += 3;
    } else {
      out += clean[i++];
    }
  }
  return out;
}

/// Languages of blocks that cannot be the program, whatever they hold.
constexpr std::array<std::string_view, 21> kForeign = {
    "bash", "sh",   "shell", "console", "zsh",      "powershell", "python",
    "py",   "json", "diff",  "patch",   "makefile", "make",       "cmake",
    "yaml", "toml", "ptx",   "asm",     "sass",     "triton",     "html"};

std::string_view language_of(const Block& block) {
  const std::string_view info = block.info;
  return info.substr(0, info.find_first_of(" \t:,{("));
}

bool is_diff(const Block& block) {
  const auto language = language_of(block);
  if (language == "diff" || language == "patch") return true;
  bool found = false;
  for_each_line(block.content, [&](std::string_view line) {
    found = line.starts_with("@@ ") || line.starts_with("diff --git ");
    return !found;
  });
  return found;
}

/// "// ... rest unchanged ...": the author left a part of the file out.
bool leaves_out(std::string_view code) {
  constexpr std::array<std::string_view, 8> kPhrases = {
      "unchanged", "same as", "rest of", "as before", "existing", "remains", "previous", "omitted"};
  bool found = false;
  for_each_line(code, [&](std::string_view line) {
    line = trimmed(line);
    if ((line.starts_with("//") || line.starts_with("/*")) && contains(line, "...")) {
      found = std::any_of(kPhrases.begin(), kPhrases.end(),
                          [&](std::string_view phrase) { return contains(line, phrase); });
    }
    return !found;
  });
  return found;
}

struct Piece {
  const Block* block = nullptr;
  CodeShape shape;
};

/// The blocks that may be the program or a part of it.
std::vector<Piece> pieces_of(const std::vector<Block>& blocks, bool was_cut) {
  std::vector<Piece> pieces;
  for (const auto& block : blocks) {
    if (is_one_of(language_of(block), kForeign) || is_diff(block)) continue;
    Piece piece{&block, shape_of(block.content)};
    if (!block.closed && (was_cut || !piece.shape.balanced)) continue;
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

template <class Test>
const Piece* last_piece(const std::vector<Piece>& pieces, Test test) {
  const auto found = std::find_if(pieces.rbegin(), pieces.rend(), test);
  return found == pieces.rend() ? nullptr : &*found;
}

/// Host and kernel in blocks of their own: the last `solve`, and in front of it all kernels and
/// helpers of which no later version exists.
Found joined(const std::vector<Piece>& pieces) {
  const Piece* host = last_piece(pieces, [](const Piece& p) { return p.shape.defines_solve; });
  if (host == nullptr) return std::nullopt;
  std::set<std::string, std::less<>> defined;
  std::vector<const Piece*> parts = {host};
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
    const auto& shape = piece->shape;
    if (shape.defines_solve || !(shape.names_global || shape.names_device)) continue;
    const bool replaced = !shape.kernels.empty() &&
                          std::all_of(shape.kernels.begin(), shape.kernels.end(),
                                      [&](const auto& name) { return defined.contains(name); });
    if (replaced) continue;
    defined.insert(shape.kernels.begin(), shape.kernels.end());
    parts.push_back(&*piece);
  }
  if (defined.empty()) return std::nullopt;
  std::string source;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    source += (*part)->block->content;
    source += '\n';
  }
  return source;
}

Found from_blocks(const std::vector<Block>& blocks, bool was_cut) {
  const auto pieces = pieces_of(blocks, was_cut);
  const auto complete = [](const Piece& p) {
    return p.shape.defines_solve && !p.shape.kernels.empty();
  };
  const auto whole = [&](const Piece& p) { return complete(p) && !leaves_out(p.block->content); };
  if (const auto* piece = last_piece(pieces, whole)) return piece->block->content;
  if (const auto* piece = last_piece(pieces, complete)) return piece->block->content;
  if (auto source = joined(pieces)) return source;
  // No kernel in sight; the judge can say more about such a file than we can.
  const auto host = [](const Piece& p) { return p.shape.defines_solve; };
  if (const auto* piece = last_piece(pieces, host)) return piece->block->content;
  const auto named = [](const Piece& p) { return p.shape.names_solve && p.shape.names_global; };
  if (const auto* piece = last_piece(pieces, named)) return piece->block->content;
  return std::nullopt;
}

bool begins_code(std::string_view line) {
  constexpr std::array<std::string_view, 14> kSure = {
      "#include",   "#define",    "#pragma",      "#if",           "extern \"C\"",
      "__global__", "__device__", "//",           "__host__",      "template<",
      "template <", "/*",         "__constant__", "extern &quot;C"};
  constexpr std::array<std::string_view, 7> kLikely = {
      "using ", "static ", "struct ", "namespace ", "typedef ", "constexpr ", "inline "};
  const auto starts = [&](std::string_view start) { return line.starts_with(start); };
  if (std::any_of(kSure.begin(), kSure.end(), starts)) return true;
  const auto text = trimmed(line);
  return !text.empty() && (text.back() == ';' || text.back() == '{') &&
         std::any_of(kLikely.begin(), kLikely.end(), starts);
}

/// Code without fences: from the first line that begins code to the last that ends it.
Found from_bare_code(std::string_view text, bool was_cut) {
  if (was_cut) return std::nullopt;
  std::size_t begin = text.npos;
  std::size_t end = 0;
  std::size_t at = 0;
  for_each_line(text, [&](std::string_view line) {
    if (begin == text.npos && begins_code(line)) begin = at;
    at = std::min(at + line.size() + 1, text.size());
    const auto code = trimmed(line);
    if (code.ends_with('}') || code.ends_with("};") || code.starts_with("#endif")) end = at;
    return true;
  });
  if (begin == text.npos || end <= begin) return std::nullopt;
  const auto code = text.substr(begin, end - begin);
  const auto shape = shape_of(code);
  if (!shape.defines_solve || !shape.balanced) return std::nullopt;
  return std::string(code);
}

Found from_code_text(std::string_view text, bool was_cut) {
  const auto blocks = fenced_blocks(text);
  if (auto source = from_blocks(blocks, was_cut)) return source;
  if (contains(text, "<pre") || contains(text, "<code")) {
    const auto html = fenced_blocks(html_blocks_as_fences(text));
    if (auto source = from_blocks(html, was_cut)) return source;
  }
  const bool fences_hold_code = std::any_of(blocks.begin(), blocks.end(), [](const Block& block) {
    return contains(block.content, "solve") || contains(block.content, "__global__");
  });
  return fences_hold_code ? std::nullopt : from_bare_code(text, was_cut);
}

/// The longest string that names `solve`, at most a few levels deep.
void find_program(const nlohmann::json& value, int depth, std::string& longest) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() > longest.size() && contains(text, "solve")) longest = text;
  } else if (value.is_structured() && depth > 0) {
    for (const auto& element : value) find_program(element, depth - 1, longest);
  }
}

Found from_json_text(std::string_view text, bool was_cut) {
  constexpr int kDepth = 6;
  const auto parsed = parse_json_or_discard(text);
  if (parsed.is_discarded()) return std::nullopt;
  std::string program;
  find_program(parsed, kDepth, program);
  return program.empty() ? std::nullopt : from_code_text(normalised(program), was_cut);
}

Found from_json(std::string_view text, bool was_cut) {
  if (!contains(text, "solve")) return std::nullopt;
  for (const auto& block : fenced_blocks(text)) {
    const auto content = trimmed(block.content);
    if (!content.starts_with('{') && !content.starts_with('[')) continue;
    if (auto source = from_json_text(content, was_cut)) return source;
  }
  const auto begin = text.find_first_of("{[");
  const auto end = text.find_last_of("}]");
  if (begin == text.npos || end == text.npos || end < begin) return std::nullopt;
  return from_json_text(text.substr(begin, end - begin + 1), was_cut);
}

Found from_text(std::string_view text, bool was_cut) {
  if (auto source = from_code_text(text, was_cut)) return source;
  return from_json(text, was_cut);
}

bool is_file_name(std::string_view line) {
  line = trimmed(line);
  while (line.ends_with(':') || line.ends_with('*') || line.ends_with('`')) line.remove_suffix(1);
  return !contains(line, " ") && !line.starts_with("//") && !line.starts_with("#") &&
         (line.ends_with(".cu") || line.ends_with(".cuh"));
}

/// What models put around a program inside its block is taken off.
std::string tidied(std::string source) {
  if (contains(source, "&lt;&lt;&lt;") || contains(source, "#include &lt;")) {
    source = html_unescaped(source);
  }
  constexpr std::array<std::string_view, 4> kLanguages = {"cuda", "cpp", "c++", "cu"};
  std::string_view text = source;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = trimmed(text.substr(0, end));
    if (!line.empty() && !is_file_name(line) && !is_one_of(line, kLanguages)) break;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const auto last = text.find_last_not_of(" \t\n");
  return std::string(text.substr(0, last == text.npos ? 0 : last + 1)) + "\n";
}

bool sounds_like_refusal(std::string_view text) {
  constexpr std::array<std::string_view, 7> kPhrases = {
      "I can't", "I cannot", "I'm sorry", "I am sorry", "I'm unable", "I am unable", "I won't"};
  const auto start = text.substr(0, 400);
  return std::any_of(kPhrases.begin(), kPhrases.end(),
                     [&](std::string_view phrase) { return contains(start, phrase); });
}

std::string reason_of_blocks(const std::vector<Block>& blocks) {
  CodeShape all;
  bool diff = false;
  bool open_code = false;
  std::string foreign;
  for (const auto& block : blocks) {
    diff = diff || is_diff(block);
    const auto language = language_of(block);
    if (is_one_of(language, kForeign)) {
      foreign = language;
      continue;
    }
    const auto shape = shape_of(block.content);
    all.names_global = all.names_global || shape.names_global;
    open_code = open_code || (!block.closed && (shape.names_global || shape.names_solve));
  }
  if (open_code) {
    return "the last code block is never closed and its braces do not match: the answer seems to "
           "be cut off";
  }
  if (diff) return "the answer is a diff; the complete .cu file is needed";
  if (all.names_global) {
    return "the code has a kernel but defines no function `solve`; the complete .cu file is needed";
  }
  if (!foreign.empty()) {
    return fmt::format("the answer holds a {} block but no CUDA program with a function `solve`",
                       shortened(foreign, 20));
  }
  return "the code blocks of the answer define no function `solve`";
}

std::string reason_for(const Spoken& spoken, bool was_cut) {
  if (was_cut) {
    return "the answer was cut off by the length limit before the program was complete; a shorter "
           "answer with the whole .cu file is needed";
  }
  const auto text = trimmed(spoken.text);
  if (text.empty()) {
    return spoken.had_thinking ? "the answer holds only thinking and no program"
                               : "the answer is empty";
  }
  const auto blocks = fenced_blocks(text);
  if (!blocks.empty()) return reason_of_blocks(blocks);
  if (sounds_like_refusal(text)) return "the model declined to write a program";
  if (is_diff(Block{.content = std::string(text)})) {
    return "the answer is a diff; the complete .cu file is needed";
  }
  if (contains(text, "__global__") || contains(text, "solve(")) {
    return "the answer holds no complete program that defines `solve`; it may be cut off";
  }
  return "the answer holds no code block";
}

}  // namespace

Extraction extract_source(std::string_view reply, std::string_view finish_reason) {
  const bool was_cut = finish_reason == "length" || finish_reason == "max_tokens";
  const std::string text = normalised(reply);
  const Spoken spoken = without_thinking(text);
  auto found = from_text(spoken.text, was_cut);
  // Thinking without an end, in a finished answer: the model forgot the tag, not the program.
  if (!found && spoken.unclosed && !was_cut) found = from_text(text, was_cut);
  if (!found) return {.reason = reason_for(spoken, was_cut)};
  std::string source = tidied(*std::move(found));
  if (source.size() > kMaxProgramBytes) {
    return {.reason = fmt::format("the program has {} bytes; at most {} are accepted",
                                  source.size(), kMaxProgramBytes)};
  }
  return {.ok = true, .source = std::move(source)};
}

}  // namespace warpwright::prompt
