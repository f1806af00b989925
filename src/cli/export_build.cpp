// SPDX-License-Identifier: Apache-2.0
#include "cli/export_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "build/source_pieces.h"
#include "core/device_facts.h"

namespace warpwright::cli {

namespace {

constexpr std::string_view kSolve = "solve";
constexpr std::string_view kExternC = "extern \"C\" ";
constexpr std::string_view kCompileOptions =
    "-std=c++17 --expt-relaxed-constexpr --extended-lambda";

// Words that C++20 and CUDA keep for themselves and that somebody might take for a kernel's name.
constexpr auto kReserved = std::to_array<std::string_view>(
    {"auto",     "bool",      "break",    "case",   "char",    "class",  "const",  "continue",
     "default",  "delete",    "do",       "double", "else",    "enum",   "export", "extern",
     "false",    "float",     "for",      "goto",   "if",      "inline", "int",    "long",
     "main",     "namespace", "new",      "return", "short",   "signed", "sizeof", "static",
     "struct",   "switch",    "template", "this",   "true",    "try",    "union",  "typedef",
     "unsigned", "using",     "void",     "while",  "baseline"});

bool is_name(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0) return false;
  if (!std::all_of(text.begin(), text.end(), build::is_word_character)) return false;
  return std::find(kReserved.begin(), kReserved.end(), text) == kReserved.end();
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

/// Names only: what stands in literals and comments stays.
std::string renamed(std::string_view source, std::string_view name) {
  std::string text;
  build::SourcePieces pieces(source);
  build::Piece piece{};
  while (pieces.next(piece)) {
    const auto part = source.substr(piece.begin, piece.end - piece.begin);
    text += piece.kind == build::PieceKind::word && part == kSolve ? name : part;
  }
  return text;
}

std::string argument_names(const Task& task) {
  std::string names;
  for (const auto& argument : task.arguments) names += (names.empty() ? "" : ", ") + argument.name;
  if (task.stream) names += names.empty() ? "stream" : ", stream";
  return names;
}

}  // namespace

std::string ExportNames::symbol() const {
  return scope.empty() ? function : replaced(scope, "::", "_") + "_" + function;
}

Status check_names(const ExportNames& names) {
  if (!is_name(names.function)) {
    return Error{"--function: '" + names.function + "' is no name for a function of C++"};
  }
  for (std::string_view rest = names.scope; !names.scope.empty();) {
    const auto end = rest.find("::");
    if (!is_name(rest.substr(0, end))) {
      return Error{"--namespace: '" + names.scope + "' is no namespace of C++, as in mine::fast"};
    }
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 2);
  }
  return {};
}

std::string declaration(const Task& task, const std::string& name) {
  std::string text = signature_of(task);
  if (text.starts_with(kExternC)) text.erase(0, kExternC.size());
  const auto at = text.find(kSolve);
  return at == std::string::npos ? text : text.replace(at, kSolve.size(), name);
}

std::string kernel_text(const Task& task, const std::string& source, const ExportNames& names) {
  const std::string symbol = names.symbol();
  std::string text = symbol == kSolve ? source : renamed(source, symbol);
  if (names.scope.empty()) return text;
  if (!text.ends_with('\n')) text += '\n';
  return text + fmt::format("\nnamespace {} {{\n{} {{ ::{}({}); }}\n}}\n", names.scope,
                            declaration(task, names.function), symbol, argument_names(task));
}

std::string header_text(const Task& task, const ExportNames& names) {
  std::string includes;
  for (const auto& [type, header] :
       {std::pair(ElementType::f16, "cuda_fp16.h"), std::pair(ElementType::bf16, "cuda_bf16.h")}) {
    const bool used =
        std::any_of(task.arguments.begin(), task.arguments.end(),
                    [wanted = type](const auto& argument) { return argument.type == wanted; });
    if (used) includes += fmt::format("#include <{}>\n", header);
  }
  if (task.stream) includes += "#include <cuda_runtime_api.h>\n";
  const std::string declared = declaration(task, names.function);
  return fmt::format(
      "// {}: see provenance.json for where this kernel comes from and what was checked.\n"
      "#pragma once\n\n{}{}"
      "// Device pointers, contiguous, row-major, 256-byte aligned, not aliasing. Work goes to "
      "the\n"
      "// {} stream; synchronise before reading results.\n{};\n{}",
      task.title, includes, includes.empty() ? "" : "\n", task.stream ? "caller's" : "default",
      names.scope.empty() ? std::string(kExternC) + declared
                          : "namespace " + names.scope + " {\n" + declared,
      names.scope.empty() ? "" : "}\n");
}

ExportTarget export_target(std::string_view device, std::string_view source) {
  constexpr int kFirstWithOwnFeatures = 90;
  int number = kFirstWithOwnFeatures;
  for (const auto& facts : known_devices()) {
    if (device == facts.key || device.starts_with(facts.name)) {
      number = facts.compute_major * 10 + facts.compute_minor;
    }
  }
  // Features of one architecture are reached by assembly alone.
  build::SourcePieces pieces(source);
  build::Piece piece{};
  bool assembly = false;
  while (pieces.next(piece)) {
    const auto part = source.substr(piece.begin, piece.end - piece.begin);
    assembly = assembly || (piece.kind == build::PieceKind::word &&
                            (part == "asm" || part == "__asm" || part == "__asm__"));
  }
  return {std::to_string(number), assembly && number >= kFirstWithOwnFeatures};
}

std::string ExportTarget::gencode() const {
  if (exact) return fmt::format("-gencode arch=compute_{0}a,code=sm_{0}a", number);
  return fmt::format("-gencode arch=compute_{0},code=[sm_{0},compute_{0}]", number);
}

std::string ExportTarget::cmake() const { return exact ? number + "a-real" : number; }

std::string compile_line(const ExportTarget& target) {
  return std::string(kCompileOptions) + " " + target.gencode();
}

std::string cmake_text(const Task& task, const ExportNames& names, const ExportTarget& target,
                       bool with_test) {
  const std::string library =
      names.symbol() == kSolve ? task.name + "_kernel" : names.symbol() + "_kernel";
  std::string text = fmt::format(
      "# {0}: a library with the kernel{1}.\n"
      "cmake_minimum_required(VERSION 3.18)\n"
      "# The architecture that the judge compiled for; others with -DCMAKE_CUDA_ARCHITECTURES=N.\n"
      "if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)\n"
      "  set(CMAKE_CUDA_ARCHITECTURES {2})\n"
      "endif()\n"
      "project({3} LANGUAGES CXX CUDA)\n\n"
      "add_library({3} STATIC kernel.cu)\n"
      "target_include_directories({3} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})\n"
      "target_compile_features({3} PUBLIC cuda_std_17)\n"
      "target_compile_options({3} PRIVATE\n"
      "  $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr --extended-lambda>)\n",
      task.title, with_test ? " and its test" : "", target.cmake(), library);
  if (!with_test) return text;
  return text + fmt::format(
                    "\nif(CMAKE_SOURCE_DIR STREQUAL CMAKE_CURRENT_SOURCE_DIR)\n"
                    "  enable_testing()\n"
                    "  add_executable({0}_test test.cu)\n"
                    "  target_compile_options({0}_test PRIVATE\n"
                    "    $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr --extended-lambda>)\n"
                    "  target_link_libraries({0}_test PRIVATE {0})\n"
                    "  add_test(NAME {0} COMMAND {0}_test WORKING_DIRECTORY "
                    "${{CMAKE_CURRENT_SOURCE_DIR}})\n"
                    "endif()\n",
                    library);
}

}  // namespace warpwright::cli
