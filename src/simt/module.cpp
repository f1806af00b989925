// SPDX-License-Identifier: Apache-2.0
#include "simt/module.h"

#include <utility>

#include "ptx/parser.h"
#include "simt/lower/lowering.h"
#include "simt/state/program.h"

namespace warpwright::simt {
namespace {

Result<Kernel> lowered_kernel(const Program& program, const Function& f) {
  Lowering lowering(program, f);
  WW_TRY(LoweredKernel lowered, lowering.run());
  return build_kernel(std::move(lowered));
}

}  // namespace

Result<Module> load(std::string_view ptx) {
  auto program = std::make_shared<Program>();
  WW_TRY(program->ast, ptx::parse_ptx(ptx));
  program->calls = call_graph(program->ast);
  for (std::uint32_t i = 0; i < program->ast.variables.size(); ++i) {
    const Variable& v = program->ast.variables[i];
    if (v.space == Space::global || v.space == Space::constant) {
      if (v.is_extern)
        return Error{"PTX line " + std::to_string(v.line) + ": not supported: extern variable '" +
                     std::string(v.name) + "'"};
      program->globals.push_back(i);
    } else if (v.space != Space::shared) {
      return Error{"PTX line " + std::to_string(v.line) + ": not supported: variable '" +
                   std::string(v.name) + "' of this kind at module level"};
    }
  }
  for (const Function& f : program->ast.functions) {
    if (!f.is_entry || !f.has_body) continue;
    auto kernel = lowered_kernel(*program, f);
    if (kernel.ok())
      program->kernels.push_back(std::move(*kernel));
    else
      program->refused.emplace_back(f.name, kernel.error().message);
  }
  if (program->kernels.empty() && !program->refused.empty())
    return Error{program->refused.front().second};
  return Module(std::move(program));
}

std::vector<KernelFacts> Module::kernels() const {
  std::vector<KernelFacts> list;
  for (const Kernel& k : program_->kernels) {
    KernelFacts f;
    f.name = k.name;
    for (const KernelParam& p : k.params) f.params.push_back({p.size_bytes, p.offset, p.align});
    f.param_bytes = k.param_bytes;
    f.static_shared_bytes = k.static_shared_bytes;
    f.local_bytes = k.local_bytes;
    f.registers = k.registers;
    f.max_threads = k.max_threads;
    for (const InsInfo& i : k.info) f.instructions += i.counted ? 1 : 0;
    list.push_back(std::move(f));
  }
  return list;
}

std::vector<VariableFacts> Module::variables() const {
  std::vector<VariableFacts> list;
  for (const std::uint32_t i : program_->globals) {
    const Variable& v = program_->ast.variables[i];
    list.push_back({std::string(v.name), v.size_bytes, v.space == Space::constant});
  }
  return list;
}

Status Module::runnable(std::string_view kernel) const {
  for (const auto& [name, why] : program_->refused)
    if (name == kernel) return Error{why};
  return {};
}

const std::vector<std::pair<std::string, std::string>>& Module::refused() const {
  return program_->refused;
}

std::string_view Module::target() const { return program_->ast.target; }

}  // namespace warpwright::simt
