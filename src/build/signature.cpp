// SPDX-License-Identifier: Apache-2.0
#include "build/signature.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace warpwright::build {

namespace {

// What clang, nvcc, g++ and the linkers say when two declarations of solve do not agree, or when
// there is none.
constexpr std::array<std::string_view, 9> kSigns = {
    "conflicting types for", "has \"C\" linkage",          "return type",
    "undefined reference",   "different language linkage", "incompatible with previous",
    "conflicting declar",    "exception specification",    "overload"};

bool is_about_signature(const Diagnostic& diagnostic,
                        const std::vector<std::string_view>& source_lines) {
  const std::string_view text = diagnostic.message;
  if (diagnostic.severity != "error") return false;
  const auto line = static_cast<std::size_t>(std::max(diagnostic.line, 0));
  const bool named = text.find("solve") != std::string_view::npos ||
                     (line > 0 && line <= source_lines.size() &&
                      source_lines[line - 1].find("solve") != std::string_view::npos);
  return named && std::any_of(kSigns.begin(), kSigns.end(), [&](std::string_view sign) {
           return text.find(sign) != std::string_view::npos;
         });
}

}  // namespace

std::string signature_header(std::string_view signature, std::string_view file) {
  std::string text =
      "#pragma GCC diagnostic push\n"
      "#pragma GCC diagnostic ignored \"-Wbuiltin-macro-redefined\"\n"
      "#define __FILE__ \"" +
      std::string(file) +
      "\"\n"
      "#pragma GCC diagnostic pop\n";
  if (signature.empty()) return text;
  if (signature.find("__half") != std::string_view::npos) text += "#include <cuda_fp16.h>\n";
  if (signature.find("__nv_bfloat16") != std::string_view::npos) text += "#include <cuda_bf16.h>\n";
  return text + std::string(signature) + ";\n";
}

void explain_signature(std::vector<Diagnostic>& diagnostics, std::string_view signature,
                       std::string_view source) {
  if (signature.empty() || diagnostics.empty()) return;
  const auto lines = lines_of(source);
  for (auto& diagnostic : diagnostics) {
    if (!is_about_signature(diagnostic, lines)) continue;
    const bool missing = diagnostic.message.find("undefined reference") != std::string::npos;
    diagnostic.message = (missing ? "solve is not defined; it must be: "
                                  : "solve has another signature than the task's; it must be: ") +
                         std::string(signature);
  }
}

}  // namespace warpwright::build
