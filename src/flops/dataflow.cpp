// SPDX-License-Identifier: Apache-2.0
#include "flops/dataflow.h"

#include <algorithm>
#include <unordered_map>

#include "ptx/call_graph.h"

namespace warpwright::flop {

namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Operand;
using ptx::Statement;

/// Where a value may have come from.
struct Origin {
  std::uint64_t params = 0;
  bool thread = false, memory = false;

  bool add(const Origin& other) {
    const Origin before = *this;
    params |= other.params;
    thread = thread || other.thread;
    memory = memory || other.memory;
    return params != before.params || thread != before.thread || memory != before.memory;
  }
};

constexpr int kMostParams = 63;  // the last bit stands for all that follow

bool has_part(const Instruction& ins, std::string_view word) {
  return std::find(ins.parts.begin(), ins.parts.end(), word) != ins.parts.end();
}

/// Special registers that differ between the threads of a warp.
bool is_thread_number(std::string_view name) {
  return name.starts_with("%tid") || name.starts_with("%laneid") || name.starts_with("%lanemask") ||
         name.starts_with("%clock");
}

bool is_memory(std::string_view base) {
  return base == "ld" || base == "ldu" || base == "st" || base == "atom" || base == "red" ||
         base == "cp" || base == "ldmatrix" || base == "stmatrix" || base == "wmma";
}

/// One function's values, found by repeating its text until nothing changes.
class Flow {
 public:
  Flow(const ptx::Ast& ast, const Function& function) : ast_(ast), function_(function) {
    traits_.kernel = std::string(function.name);
    for (std::size_t i = 0; i < function.params.size(); ++i) {
      const auto bit = std::min<std::size_t>(i, kMostParams);
      values_[function.params[i].name].params = std::uint64_t{1} << bit;
    }
  }

  KernelTraits run() {
    do {
      changed_ = false;
      for (const Statement& each : function_.body) {
        if (each.kind == Statement::Kind::instruction) read(each.ins);
      }
    } while (changed_);
    return traits_;
  }

 private:
  Origin of(const Operand& operand) const {
    Origin origin;
    for (const Operand& each : operand.list) origin.add(of(each));
    if (operand.name.empty()) return origin;
    if (is_thread_number(operand.name)) origin.thread = true;
    if (const auto it = values_.find(operand.name); it != values_.end()) origin.add(it->second);
    return origin;
  }

  void give(const Operand& operand, const Origin& origin) {
    for (const Operand& each : operand.list) give(each, origin);
    if (!operand.name.empty() && values_[operand.name].add(origin)) changed_ = true;
  }

  void read(const Instruction& ins) {
    if (!ins.guard.empty()) control(values_[ins.guard]);
    const std::string_view base = ins.parts.front();
    if (base == "bra" || base == "brx") {
      if (base == "brx" && !ins.operands.empty()) control(of(ins.operands.front()));
    } else if (base == "call") {
      call(ins);
    } else if (is_memory(base)) {
      memory(ins);
    } else {
      compute(ins);
    }
  }

  void control(const Origin& origin) {
    traits_.has_branches = true;
    traits_.diverges = traits_.diverges || origin.thread;
    traits_.diverges_by_data = traits_.diverges_by_data || origin.memory;
  }

  void compute(const Instruction& ins) {
    if (ins.operands.empty()) return;
    if ((ins.parts.front() == "div" || ins.parts.front() == "rcp") &&
        ins.parts.back().starts_with("f"))
      traits_.divides = true;
    Origin sum;
    for (std::size_t i = 1; i < ins.operands.size(); ++i) sum.add(of(ins.operands[i]));
    // A value of another lane is as different between lanes as what it is made of.
    if (!ins.guard.empty()) sum.add(values_[ins.guard]);
    give(ins.operands.front(), sum);
  }

  /// Local and shared memory and a call's parameters hold what was put there; global memory holds
  /// data.
  void memory(const Instruction& ins) {
    const bool stores = ins.parts.front() == "st" || ins.parts.front() == "red" ||
                        ins.parts.front() == "stmatrix" ||
                        (ins.parts.front() == "wmma" && has_part(ins, "store"));
    const bool exchanges = ins.parts.front() == "atom";
    if (ins.parts.front() == "cp") {
      for (const Operand& each : ins.operands) touch(of(each), true, true);
      values_["shared"].add(Origin{0, true, true});
      return;
    }
    const Operand* address = nullptr;
    Origin others;
    for (const Operand& each : ins.operands) {
      if (each.kind == Operand::Kind::address && address == nullptr) {
        address = &each;
      } else if (stores || (exchanges && &each != &ins.operands.front())) {
        others.add(of(each));
      }
    }
    if (address == nullptr) return compute(ins);
    const Origin where = of(*address);
    if (has_part(ins, "param")) {
      if (stores) {
        give(*address, others);
      } else {
        give(ins.operands.front(), where);
      }
      return;
    }
    const bool on_chip =
        has_part(ins, "shared") || has_part(ins, "local") || has_part(ins, "shared::cta");
    const std::string_view place = has_part(ins, "local") ? "local" : "shared";
    if (on_chip) {
      if ((stores || exchanges) && values_[place].add(others)) changed_ = true;
      if (!stores) {
        Origin read = values_[place];
        read.thread = read.thread || where.thread;
        give(ins.operands.front(), read);
      }
      return;
    }
    const bool constant = has_part(ins, "const");
    if (!constant) touch(where, !stores, stores || exchanges);
    if (!stores) give(ins.operands.front(), Origin{0, where.thread, true});
  }

  /// Global memory at an address that came from there.
  void touch(const Origin& where, bool loads, bool stores) {
    // An address that was itself read, or a variable's.
    const bool anywhere = where.memory || where.params == 0;
    if (loads) {
      traits_.loaded |= where.params;
      traits_.loads_anywhere = traits_.loads_anywhere || anywhere;
    }
    if (stores) {
      traits_.stored |= where.params;
      traits_.stores_anywhere = traits_.stores_anywhere || anywhere;
    }
  }

  /// A function that was not expanded: it may do anything that functions of the text do.
  void call(const Instruction& ins) {
    Origin sum;
    bool known = false, mathematics = false;
    for (const Operand& each : ins.operands) {
      sum.add(of(each));
      known = known || (!each.name.empty() && ptx::defined_function(ast_, each.name) >= 0);
      mathematics = mathematics || each.name.starts_with("__nv_");
    }
    if (mathematics) return give(ins.operands.front(), sum);
    sum.memory = true;
    if (!known) traits_.calls_unknown = true;
    touch(Origin{sum.params, false, true}, true, true);
    traits_.diverges_by_data = traits_.has_branches = true;
    if (!ins.operands.empty()) give(ins.operands.front(), sum);
  }

  const ptx::Ast& ast_;
  const Function& function_;
  KernelTraits traits_;
  std::unordered_map<std::string_view, Origin> values_;
  bool changed_ = false;
};

}  // namespace

std::vector<KernelTraits> kernel_traits(const ptx::Ast& ast) {
  std::vector<KernelTraits> traits;
  for (const Function& function : ast.functions) {
    if (function.is_entry && function.has_body) traits.push_back(Flow(ast, function).run());
  }
  return traits;
}

}  // namespace warpwright::flop
