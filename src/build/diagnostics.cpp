// SPDX-License-Identifier: Apache-2.0
#include "build/diagnostics.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>

#include "base/text.h"

namespace warpwright::build {

namespace {

constexpr std::size_t kMaxDiagnostics = 20;
constexpr std::size_t kMaxMessage = 500;

struct Message {
  std::string file;
  Diagnostic diagnostic;
};

struct SeverityRow {
  std::string_view text;
  std::string_view severity;
};

// As the tools write them; nvcc adds numbers ("warning #177-D") and ptxas spaces ("error   ").
constexpr std::array<SeverityRow, 5> kSeverities = {{{"fatal error", "error"},
                                                     {"catastrophic error", "error"},
                                                     {"error", "error"},
                                                     {"warning", "warning"},
                                                     {"note", "note"}}};

std::optional<int> leading_number(std::string_view& text) {
  int value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || value < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

/// "error: text" or "warning #177-D: text"; empty when the text starts otherwise.
bool take_severity(std::string_view text, Diagnostic& into) {
  for (const auto& row : kSeverities) {
    if (!text.starts_with(row.text)) continue;
    const auto colon = text.find(':');
    if (colon == std::string_view::npos || colon > row.text.size() + 12) return false;
    into.severity = row.severity;
    into.message = trimmed(text.substr(colon + 1));
    return true;
  }
  return false;
}

std::string_view base_name(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

/// "file:12:5: error: text" (clang, g++) and "file(12): error: text" (nvcc).
std::optional<Message> located(std::string_view line) {
  const auto mark = line.find_first_of(":(");
  if (mark == std::string_view::npos || mark == 0) return std::nullopt;
  Message message;
  message.file = base_name(line.substr(0, mark));
  const bool parentheses = line[mark] == '(';
  std::string_view rest = line.substr(mark + 1);
  const auto number = leading_number(rest);
  if (!number) return std::nullopt;
  message.diagnostic.line = *number;
  if (parentheses) {
    if (!rest.starts_with("): ")) return std::nullopt;
    rest.remove_prefix(3);
  } else {
    if (!rest.starts_with(":")) return std::nullopt;
    rest.remove_prefix(1);
    if (const auto column = leading_number(rest)) {
      message.diagnostic.column = *column;
      if (rest.starts_with(":")) rest.remove_prefix(1);
    }
  }
  if (!take_severity(trimmed(rest), message.diagnostic)) return std::nullopt;
  return message;
}

/// Messages without a place in the source: the linker's, ptxas's, the drivers'.
std::optional<Message> unlocated(std::string_view line) {
  Message message;
  if (const auto at = line.find("undefined reference to "); at != std::string_view::npos) {
    message.diagnostic.severity = "error";
    message.diagnostic.message =
        std::string(line.substr(at)) +
        " (candidates get the C++ library and the usual part of the CUDA runtime, nothing else)";
    return message;
  }
  for (const std::string_view prefix : {"ptxas", "nvlink", "LLVM ERROR", "clang", "nvcc"}) {
    if (!line.starts_with(prefix)) continue;
    for (const std::string_view word : {"fatal", "error", "ERROR"}) {
      const auto at = line.find(word);
      if (at == std::string_view::npos) continue;
      const auto colon = line.find(':', at);
      if (colon == std::string_view::npos) continue;
      message.diagnostic.severity = "error";
      message.diagnostic.message =
          std::string(prefix) + ": " + std::string(trimmed(line.substr(colon + 1)));
      return message;
    }
  }
  return std::nullopt;
}

bool is_noise(const Diagnostic& diagnostic) {
  const std::string_view text = diagnostic.message;
  return text.find("linker command failed") != std::string_view::npos ||
         text.starts_with("too many errors") || text.starts_with("linker input file unused") ||
         text.find("ld returned 1 exit status") != std::string_view::npos ||
         text.find("Optimized debugging not supported") != std::string_view::npos;
}

/// An error inside a header is the doing of the candidate's line that a later note names.
void settle_places(std::vector<Message>& messages) {
  for (std::size_t i = 0; i < messages.size(); ++i) {
    Message& message = messages[i];
    if (message.file.empty() || message.file == kCandidateFile) continue;
    message.diagnostic.message += " (in " + message.file + ")";
    message.diagnostic.line = message.diagnostic.column = 0;
    for (std::size_t j = i + 1; j < messages.size() && messages[j].diagnostic.severity == "note";
         ++j) {
      if (messages[j].file != kCandidateFile) continue;
      message.diagnostic.line = messages[j].diagnostic.line;
      message.diagnostic.column = messages[j].diagnostic.column;
      break;
    }
  }
}

}  // namespace

std::vector<Diagnostic> parse_diagnostics(std::string_view output) {
  std::vector<Message> messages;
  const std::string clean = clean_utf8(output);
  for (const std::string_view line : lines_of(clean)) {
    auto message = located(line);
    if (!message) message = unlocated(line);
    if (!message || is_noise(message->diagnostic)) continue;
    message->diagnostic.message = shortened(message->diagnostic.message, kMaxMessage);
    messages.push_back(std::move(*message));
    if (messages.size() >= 1000) break;
  }
  settle_places(messages);
  std::vector<Diagnostic> result;
  for (const std::string_view severity : {"error", "warning"}) {
    for (const auto& message : messages) {
      const Diagnostic& diagnostic = message.diagnostic;
      if (diagnostic.severity != severity || result.size() >= kMaxDiagnostics) continue;
      if (severity == "warning" && message.file != kCandidateFile) continue;
      if (std::find(result.begin(), result.end(), diagnostic) == result.end()) {
        result.push_back(diagnostic);
      }
    }
  }
  return result;
}

}  // namespace warpwright::build
