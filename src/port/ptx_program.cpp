// SPDX-License-Identifier: Apache-2.0
#include "port/ptx_program.h"

#include <algorithm>

#include "port/ptx_function.h"
#include "ptx/parser.h"

namespace warpwright::port {

namespace {

std::string initial_bytes(const ptx::Variable& variable) {
  std::string text = " = {";
  for (std::size_t i = 0; i < variable.initial.size(); ++i)
    text += (i == 0 ? "" : ",") + std::to_string(std::to_integer<int>(variable.initial[i]));
  return text + "}";
}

class ProgramWriter {
 public:
  ProgramWriter(const ptx::Ast& ast, const std::string& file) : ast_(ast), file_(file) {}

  PtxProgram run() {
    program_.source =
        "// Carried over from PTX by `warpwright port`: a statement for each instruction.\n"
        "#include \"warpwright_hip_ptx.h\"\n"
        "// What PTX does not fuse is not fused.\n"
        "#pragma clang fp contract(off)\n\n";
    for (const ptx::Variable& variable : ast_.variables) declare(variable);
    // A function that has a body is called there, whatever else declares it.
    for (const ptx::Function& function : ast_.functions) {
      auto& known = functions_[std::string(function.name)];
      if (known == nullptr || function.has_body) known = &function;
    }
    for (const ptx::Function& function : ast_.functions)
      if (!function.is_entry && function.has_body &&
          functions_[std::string(function.name)] == &function)
        program_.source += head_of(function) + ";\n";
    for (const ptx::Function& function : ast_.functions)
      if (function.has_body) write(function);
    return std::move(program_);
  }

 private:
  void declare(const ptx::Variable& variable) {
    const bool shared = variable.space == ptx::Space::shared;
    const bool constant = variable.space == ptx::Space::constant;
    const std::string name(variable.name);
    // Names of compilers may hold what C++ does not allow; the host knows the others by theirs.
    const std::string cpp =
        std::all_of(name.begin(), name.end(), is_word) ? name : cpp_name("g_", name);
    names_.add_variable(name, variable.space, cpp);
    if (!variable.pointers.empty())
      program_.findings.unmapped.push_back({file_,
                                            static_cast<int>(variable.line),
                                            name,
                                            "addresses in the initial value of a variable",
                                            {}});
    std::string& text = program_.source;
    const std::string align = alignment_text(variable);
    if (shared && (variable.is_extern || variable.size_bytes == 0)) {
      text += "extern __shared__ " + align + "unsigned char " + cpp + "[];\n";
    } else if (shared) {
      text += "static __shared__ " + align + "unsigned char " + cpp + "[" +
              std::to_string(variable.size_bytes) + "];\n";
    } else if (variable.is_extern) {
      program_.findings.unmapped.push_back(
          {file_, static_cast<int>(variable.line), name, "a variable of another module", {}});
    } else {
      text += std::string("extern \"C\" { ") + (constant ? "__constant__ " : "__device__ ") +
              align + "unsigned char " + cpp + "[" +
              std::to_string(std::max<std::uint64_t>(variable.size_bytes, 1)) + "]" +
              (variable.initial.empty() ? "" : initial_bytes(variable)) + "; }\n";
    }
  }

  static bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '$';
  }

  static std::string head_of(const ptx::Function& function) {
    std::string text;
    if (function.is_entry) {
      text = "extern \"C\" __global__ void ";
      if (function.max_threads > 0)
        text += "__launch_bounds__(" + std::to_string(function.max_threads) + ") ";
    } else {
      text = "extern \"C\" __device__ __attribute__((noinline)) " +
             (function.results.empty() ? std::string("void") : passed_type(function.results[0])) +
             " ";
    }
    text += std::string(function.name) + "(";
    for (std::size_t i = 0; i < function.params.size(); ++i)
      text += (i == 0 ? "" : ", ") + passed_type(function.params[i]) + " " +
              cpp_name("p_", function.params[i].name);
    return text + ")";
  }

  void write(const ptx::Function& function) {
    if (function.is_entry) program_.kernels.emplace_back(function.name);
    if (function.results.size() > 1)
      program_.findings.unmapped.push_back({file_,
                                            static_cast<int>(function.line),
                                            std::string(function.name),
                                            "a function with several results",
                                            {}});
    PtxFunctionWriter writer(function, names_, functions_, file_, program_.findings);
    program_.source += "\n" + head_of(function) + " {\n" + writer.body() + "}\n";
  }

  const ptx::Ast& ast_;
  const std::string& file_;
  PtxNames names_;
  FunctionTable functions_;
  PtxProgram program_;
};

}  // namespace

Result<PtxProgram> ptx_as_hip(std::string_view ptx, const std::string& file) {
  WW_TRY(const ptx::Ast ast, ptx::parse_ptx(ptx));
  PtxProgram program = ProgramWriter(ast, file).run();
  if (program.kernels.empty()) return Error{"'" + file + "' has no kernel"};
  return program;
}

}  // namespace warpwright::port
