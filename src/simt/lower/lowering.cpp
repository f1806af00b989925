// SPDX-License-Identifier: Apache-2.0
// The walk over a kernel's statements, and the instructions that it leaves.
#include "simt/lower/lowering.h"

#include <fmt/format.h>

#include <algorithm>

#include "simt/ops/handlers.h"

namespace warpwright::simt {
namespace {

constexpr std::size_t kMaxInstructions = 2'000'000;

}  // namespace

Error Lowering::error(std::string_view what) const {
  return Error{"PTX line " + std::to_string(at_ != nullptr ? at_->ptx_line : entry_.line) +
               " (kernel " + std::string(entry_.name) + "): " + std::string(what)};
}

namespace {

/// What to write in place of an instruction that the machine does not run.
struct InsteadRow {
  std::string_view begins, has, instead;
};
constexpr InsteadRow kInstead[] = {
    {"tcgen05", "", "wgmma or mma.sync"},
    {"cp.async.bulk", ".tensor", "cp.async.bulk.tensor in tiled mode, or cp.async"},
    {"cp.reduce", "", "red or atom of each element"},
    {"tensormap", "", "a tensor map that the host makes"},
    {"tex", "", "tex.1d, 2d, 3d, a1d or a2d of a texture object, or __ldg()"},
    {"tld4", "", "ld.global.nc: __ldg() or a const __restrict__ pointer"},
    {"suld", "", "suld.b.1d, 2d, 3d, a1d or a2d of a surface object, or ld.global"},
    {"sust", "", "sust.b.1d, 2d, 3d, a1d or a2d of a surface object, or st.global"},
    {"sured", "", "red.global or atom.global"},
    {"mma.sp", "", "mma.sync of dense matrices"},
    {"wgmma.mma_async.sp", "", "wgmma of dense matrices"},
    {"multimem", "", "red or atom"},
    {"redux", ".f32", "__shfl_xor_sync and a sum, or redux of integers"},
    {"shfl", "", "shfl.sync (__shfl_*_sync)"},
    {"vote", "", "vote.sync (__*_sync)"},
};

}  // namespace

Error Lowering::unsupported() const {
  const std::string_view text = at_->ins.text;
  for (const InsteadRow& row : kInstead)
    if (text.starts_with(row.begins) && text.find(row.has) != std::string_view::npos)
      return error(
          fmt::format("not supported: {}; what works here instead: {}", text, row.instead));
  return error("not supported: " + std::string(text));
}

Result<LoweredKernel> Lowering::run() {
  for (Val& v : specials_) v = kNoVal;
  Kernel& k = out_.kernel;
  k.name = std::string(entry_.name);
  k.max_threads = entry_.max_threads;
  std::copy(std::begin(entry_.cluster), std::end(entry_.cluster), k.cluster);
  scopes_.emplace_back();
  WW_CHECK(kernel_parameters());
  WW_CHECK(start_stack());
  WW_CHECK(body(entry_));
  at_ = nullptr;
  emit(Opcode::exit).flow = Lir::Flow::exit;
  out_.code.back().info.counted = false;
  WW_CHECK(lower_functions());
  for (const auto& [variable, symbol] : shared_) {
    if (symbol.kind != Symbol::Kind::shared) continue;
    k.shared.push_back({std::string(name_in_source(variable->name)),
                        static_cast<std::uint32_t>(symbol.offset), variable->size_bytes});
  }
  k.static_shared_bytes = static_cast<std::uint32_t>(shared_bytes_);
  k.local_bytes = static_cast<std::uint32_t>((local_bytes_ + 15) / 16 * 16);
  return std::move(out_);
}

Status Lowering::body(const Function& f) {
  active_.push_back(&f);
  const std::size_t depth = scopes_.size();
  open_scope(f.body, 0);
  for (std::size_t i = 0; i < f.body.size(); ++i) {
    at_ = &f.body[i];
    switch (at_->kind) {
      case Statement::Kind::open:
        open_scope(f.body, i + 1);
        break;
      case Statement::Kind::close:
        scopes_.pop_back();
        break;
      case Statement::Kind::variable:
        WW_CHECK(declare(at_->var));
        break;
      case Statement::Kind::label: {
        const Symbol* s = find(at_->label);
        if (s == nullptr || s->kind != Symbol::Kind::label || out_.labels[s->index] != 0xffffffffu)
          return error("label '" + std::string(at_->label) + "' twice");
        out_.labels[s->index] = static_cast<std::uint32_t>(out_.code.size());
        break;
      }
      case Statement::Kind::targets:
        break;
      case Statement::Kind::instruction:
        WW_CHECK(instruction());
        break;
    }
  }
  scopes_.resize(depth);
  active_.pop_back();
  return {};
}

Lir& Lowering::emit(Opcode opcode) {
  Lir lir;
  lir.run = handler_of(opcode);
  lir.info.opcode = opcode;
  lir.info.op_class = class_of(opcode);
  if (at_ != nullptr) {
    lir.info.ptx_line = at_->ptx_line;
    lir.info.source = at_->source;
    lir.info.text = at_->ins.text;
  }
  out_.code.push_back(std::move(lir));
  return out_.code.back();
}

Status Lowering::emit_row(const OpRow& row, const Dest& d, const std::vector<Val>& args) {
  Val guard = kNoVal;
  if (!at_->ins.guard.empty()) {
    Operand o;
    o.name = at_->ins.guard;
    WW_TRY(guard, predicate(o));
  }
  Lir& lir = emit(Opcode::arithmetic);
  lir.run = row.run;
  lir.info.row = &row;
  lir.info.op_class = row.op_class;
  lir.d = d.val;
  if (!args.empty()) lir.a = args[0];
  if (args.size() > 1) lir.b = args[1];
  if (args.size() > 2) lir.c = args[2];
  for (std::size_t i = 3; i < args.size(); ++i) lir.more.push_back(args[i]);
  lir.info.flops = row.flops;
  lir.guard = guard;
  lir.guard_negated = at_->ins.guard_negated;
  return {};
}

Status Lowering::emit_op(std::string_view name, const Dest& d, const std::vector<Val>& args) {
  const OpRow* row = op_table().find(std::string(name));
  ASSERT(row != nullptr, name);
  return emit_row(*row, d, args);
}

Status Lowering::instruction() {
  if (out_.code.size() > kMaxInstructions)
    return error("the kernel is too large after expanding its calls");
  if (may_order_blocks(at_->ins.parts)) kernel().may_wait_for_blocks = true;
  note_order(at_->ins.parts, kernel());
  note_order(at_->ins.parts, kernel());
  if (const Decoder decoder = find_decoder(at_->ins.parts[0])) return decoder(*this);
  return decode_arithmetic(*this);
}

}  // namespace warpwright::simt
