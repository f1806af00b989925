// SPDX-License-Identifier: Apache-2.0
#include "prompt/reply_blocks.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.h"

namespace warpwright::prompt {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lowered(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

bool starts_like(std::string_view text, std::string_view lower_case_start) {
  return text.size() >= lower_case_start.size() &&
         std::equal(lower_case_start.begin(), lower_case_start.end(), text.begin(),
                    [](char a, char b) { return a == lower(b); });
}

struct Fence {
  char sign = '`';
  std::size_t indent = 0;
  std::size_t length = 0;
  std::string_view info;
};

std::optional<Fence> fence_in(std::string_view line) {
  Fence fence;
  fence.indent = std::min(line.find_first_not_of(" \t"), line.size());
  auto rest = line.substr(fence.indent);
  if (rest.empty() || (rest[0] != '`' && rest[0] != '~')) return std::nullopt;
  fence.sign = rest[0];
  fence.length = std::min(rest.find_first_not_of(fence.sign), rest.size());
  if (fence.length < 3) return std::nullopt;
  fence.info = trimmed(rest.substr(fence.length));
  // ```like this``` on one line is not a fence.
  if (fence.sign == '`' && fence.info.find('`') != fence.info.npos) return std::nullopt;
  return fence;
}

/// "}```": a closing fence glued to the last line of code. The code before it.
std::optional<std::string_view> code_before_glued_fence(std::string_view line, const Fence& open) {
  auto text = line;
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  const auto last = text.find_last_not_of(open.sign);
  if (last == text.npos || text.size() - last - 1 < open.length) return std::nullopt;
  const char before = text[last];
  if (before != '}' && before != ';') return std::nullopt;
  return text.substr(0, last + 1);
}

bool starts_code(std::string_view info) {
  return info.starts_with("#include") || info.starts_with("__global__") ||
         info.starts_with("extern \"C\"");
}

/// Collects blocks line by line.
class BlockReader {
 public:
  void read(std::string_view line) {
    const auto fence = fence_in(line);
    if (!open_) {
      if (fence) begin(*fence);
      return;
    }
    if (!fence) {
      if (const auto code = code_before_glued_fence(line, *open_)) {
        add(*code);
        end(true);
      } else {
        add(line);
      }
      return;
    }
    if (fence->info.empty() && fence->sign == open_->sign && fence->length >= open_->length) {
      end(true);
    } else if (!fence->info.empty() && (fence->length >= open_->length || holds_prose())) {
      end(true);
      begin(*fence);
    } else {
      add(line);
    }
  }

  std::vector<Block> finish() {
    if (open_) end(false);
    return std::move(blocks_);
  }

 private:
  [[nodiscard]] bool holds_prose() const {
    return block_.info.empty() || block_.info.starts_with("m") || block_.info.starts_with("text");
  }

  void begin(const Fence& fence) {
    open_ = fence;
    block_ = Block{};
    if (starts_code(fence.info)) {
      add(fence.info);
    } else {
      block_.info = lowered(fence.info);
    }
  }

  void add(std::string_view line) {
    std::size_t strip = 0;
    while (strip < open_->indent && strip < line.size() &&
           (line[strip] == ' ' || line[strip] == '\t')) {
      ++strip;
    }
    block_.content += line.substr(strip);
    block_.content += '\n';
  }

  void end(bool closed) {
    block_.closed = closed;
    blocks_.push_back(std::move(block_));
    open_.reset();
  }

  std::optional<Fence> open_;
  Block block_;
  std::vector<Block> blocks_;
};

constexpr std::array<std::string_view, 4> kThinkingTags = {"think>", "thinking>", "reasoning>",
                                                           "thought>"};

std::size_t thinking_tag(std::string_view text) {
  for (const auto tag : kThinkingTags) {
    if (starts_like(text, tag)) return tag.size();
  }
  return 0;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kEntities = {{
    {"&lt;", "<"},
    {"&gt;", ">"},
    {"&amp;", "&"},
    {"&quot;", "\""},
    {"&#39;", "'"},
    {"&#x27;", "'"},
    {"&apos;", "'"},
    {"&nbsp;", " "},
}};

/// Length of a <pre ...>, </pre>, <code ...> or </code> tag at the start of text, or 0.
std::size_t code_tag(std::string_view text) {
  constexpr std::size_t kLongestTag = 120;
  for (const std::string_view start : {"<pre", "</pre", "<code", "</code"}) {
    if (!starts_like(text, start)) continue;
    const auto end = text.substr(0, kLongestTag).find('>', start.size());
    const bool whole =
        text.size() > start.size() && (text[start.size()] == '>' || text[start.size()] == ' ');
    if (whole && end != text.npos) return end + 1;
  }
  return 0;
}

}  // namespace

std::vector<Block> fenced_blocks(std::string_view text) {
  BlockReader reader;
  // Not lines_of(): ten megabytes of line ends would cost a hundred more.
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    reader.read(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.finish();
}

Spoken without_thinking(std::string_view text) {
  Spoken spoken;
  bool thinking = false;
  bool line_start = true;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '<') {
      const bool closes = i + 1 < text.size() && text[i + 1] == '/';
      const std::size_t head = closes ? 2 : 1;
      if (const auto tag = thinking_tag(text.substr(i + head));
          tag > 0 && (closes || (line_start && !thinking))) {
        if (closes && !thinking) {
          // Some servers drop the opening tag: all that came before was thinking.
          spoken.unclosed = !trimmed(spoken.text).empty();
          spoken.text.clear();
        }
        thinking = !closes;
        spoken.had_thinking = true;
        i += head + tag;
        continue;
      }
    }
    if (!thinking) spoken.text += c;
    line_start = c == '\n' || (line_start && (c == ' ' || c == '\t'));
    ++i;
  }
  spoken.unclosed = spoken.unclosed || thinking;
  return spoken;
}

std::string html_unescaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto mark = std::min(text.find('&'), text.size());
    out += text.substr(0, mark);
    text.remove_prefix(mark);
    if (text.empty()) break;
    const auto entity = std::find_if(kEntities.begin(), kEntities.end(),
                                     [&](const auto& row) { return text.starts_with(row.first); });
    out += entity == kEntities.end() ? std::string_view("&") : entity->second;
    text.remove_prefix(entity == kEntities.end() ? 1 : entity->first.size());
  }
  return out;
}

std::string html_blocks_as_fences(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool inside = false;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t tag = text[i] == '<' ? code_tag(text.substr(i)) : 0;
    if (tag == 0) {
      out += text[i++];
      continue;
    }
    const bool closes = text[i + 1] == '/';
    if (closes == inside) {  // <pre><code> opens once
      out += closes ? "\n```\n" : "\n```cuda\n";
      inside = !closes;
    }
    i += tag;
  }
  return out;
}

}  // namespace warpwright::prompt
