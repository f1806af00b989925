// SPDX-License-Identifier: Apache-2.0
#include "flops/thread_values.h"

#include <algorithm>
#include <cmath>

namespace warpwright::flop {

namespace {

using ptx::Operand;

constexpr int kDeepest = 200;         ///< chains of definitions that are followed
constexpr int kDeepestCondition = 6;  ///< each step may be two

bool names_part(const ptx::Instruction& ins, std::string_view word) {
  return std::find(ins.parts.begin(), ins.parts.end(), word) != ins.parts.end();
}

/// "threadIdx.x" of "%tid.x".
std::optional<std::string> built_in_name(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"%tid", "threadIdx"}, {"%ctaid", "blockIdx"}, {"%ntid", "blockDim"}, {"%nctaid", "gridDim"}};
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  for (const auto& [machine, language] : kNames) {
    if (name.substr(0, dot) == machine)
      return std::string(language) + std::string(name.substr(dot));
  }
  return std::nullopt;
}

struct Comparison {
  std::string_view word, sign, opposite;
};
constexpr Comparison kComparisons[] = {{"lt", "<", "ge"},  {"le", "<=", "gt"}, {"gt", ">", "le"},
                                       {"ge", ">=", "lt"}, {"eq", "==", "ne"}, {"ne", "!=", "eq"},
                                       {"lo", "<", "hs"},  {"ls", "<=", "hi"}, {"hi", ">", "ls"},
                                       {"hs", ">=", "lo"}};

const Comparison* comparison_named(std::string_view word) {
  for (const Comparison& each : kComparisons) {
    if (each.word == word) return &each;
  }
  return nullptr;
}

bool compares_integers(const ptx::Instruction& ins) {
  const char kind = ins.parts.back().empty() ? ' ' : ins.parts.back().front();
  return kind == 's' || kind == 'u' || kind == 'b';
}

/// How many k = 0, 1, ... there are until "begin + k*step SIGN bound" fails.
std::optional<Formula> steps_until(const Formula& begin, double step, std::string_view word,
                                   const Formula& bound) {
  const Formula way = bound - begin;
  if (word == "lt" || word == "lo")
    return step > 0 ? std::optional(way.divided(step, true)) : std::nullopt;
  if (word == "le" || word == "ls")
    return step > 0 ? std::optional(way.divided(step, false) + 1) : std::nullopt;
  const Formula back = begin - bound;
  if (word == "gt" || word == "hi")
    return step < 0 ? std::optional(back.divided(-step, true)) : std::nullopt;
  if (word == "ge" || word == "hs")
    return step < 0 ? std::optional(back.divided(-step, false) + 1) : std::nullopt;
  if (word == "ne") return step > 0 ? way.divided(step, true) : back.divided(-step, true);
  return std::nullopt;
}

}  // namespace

ThreadValues::ThreadValues(const ptx::Function& function, const ControlFlow& flow,
                           const std::unordered_map<std::string_view, std::string>& arguments)
    : function_(function), flow_(flow), arguments_(arguments) {
  for (std::size_t block = 0; block < flow.blocks.size(); ++block) {
    for (const std::size_t each : flow.blocks[block].statements) {
      const ptx::Instruction& ins = function.body[each].ins;
      const std::string_view base = ins.parts.front();
      if (ins.operands.empty() || base == "st" || base == "red" || base == "bra" || base == "bar")
        continue;
      const Operand& result = ins.operands.front();
      if (!result.name.empty()) definitions_[result.name].push_back({each, block});
      for (const Operand& part : result.list) {
        if (!part.name.empty()) definitions_[part.name].push_back({each, block});
      }
    }
  }
}

const ptx::Instruction& ThreadValues::at(const Place& place) const {
  return function_.body[place.statement].ins;
}

ThreadValues::Place ThreadValues::end_of(std::size_t block) const {
  return {flow_.blocks[block].statements.back(), block};
}

bool ThreadValues::before(const Place& first, const Place& then) const {
  if (first.block == then.block) return first.statement < then.statement;
  return flow_.dominators[then.block][first.block];
}

std::optional<ThreadValues::Place> ThreadValues::definition(std::string_view name,
                                                            const Place& use) const {
  const auto it = definitions_.find(name);
  if (it == definitions_.end()) return std::nullopt;
  std::optional<Place> found;
  bool here = false;
  for (const Place& each : it->second) {
    const bool before_here = each.block == use.block && each.statement < use.statement;
    if (before_here) {
      // The last one in the block hides all others.
      found = each;
      here = true;
    } else if (!here && flow_.reached[use.block][each.block]) {
      if (found) return std::nullopt;
      found = each;
    }
  }
  return found;
}

std::optional<Formula> ThreadValues::value(const Operand& operand, const Place& use) const {
  if (operand.kind == Operand::Kind::integer)
    return Formula(static_cast<double>(static_cast<std::int64_t>(operand.bits)));
  if (operand.kind != Operand::Kind::name || operand.negated) return std::nullopt;
  if (const auto name = built_in_name(operand.name)) return Formula::name(*name);
  const auto place = definition(operand.name, use);
  return place ? computed(*place) : std::nullopt;
}

std::optional<Formula> ThreadValues::computed(const Place& place) const {
  if (const auto it = known_.find(place.statement); it != known_.end()) return it->second;
  const ptx::Instruction& ins = at(place);
  if (!ins.guard.empty() || depth_ > kDeepest) return std::nullopt;
  known_[place.statement] = std::nullopt;  // a definition that comes back to itself
  ++depth_;
  std::optional<Formula> result = compute(ins, place);
  --depth_;
  if (result && !result->is_small()) result.reset();
  known_[place.statement] = result;
  return result;
}

std::optional<Formula> ThreadValues::compute(const ptx::Instruction& ins,
                                             const Place& place) const {
  const std::string_view base = ins.parts.front();
  const auto operand = [&](std::size_t i) -> std::optional<Formula> {
    return i < ins.operands.size() ? value(ins.operands[i], place) : std::nullopt;
  };
  if (base == "ld" && names_part(ins, "param") && ins.operands.size() == 2) {
    const auto argument = arguments_.find(ins.operands[1].name);
    if (argument == arguments_.end() || ins.operands[1].bits != 0) return std::nullopt;
    return Formula::name(argument->second);
  }
  const char kind = ins.parts.back().empty() ? ' ' : ins.parts.back().front();
  if (kind == 'f') return std::nullopt;
  const auto a = operand(1), b = operand(2), c = operand(3);
  if (base == "mov" || base == "cvt" || base == "cvta") return a;
  if (base == "neg" && a) return *a * Formula(-1);
  if (!a || !b) return std::nullopt;
  const std::optional<double> number = b->number();
  if (base == "add") return *a + *b;
  if (base == "sub") return *a - *b;
  if (base == "mul" && !names_part(ins, "hi")) return *a * *b;
  if (base == "mad" && !names_part(ins, "hi") && c) return *a * *b + *c;
  if (base == "shl" && number) return *a * Formula(std::exp2(*number));
  if (base == "shr" && number) return a->divided(std::exp2(*number), false);
  if (base == "div" && number && *number > 0) return a->divided(*number, false);
  if (base == "min" || base == "max")
    return Formula::name(std::string(base) + "(" + a->text() + ", " + b->text() + ")");
  if (base == "rem" || base == "div")
    return Formula::name("((" + a->text() + ") " + (base == "rem" ? "mod" : "/") + " (" +
                         b->text() + "))");
  if (base == "and" && number && *number > 0 &&
      std::exp2(std::round(std::log2(*number + 1))) == *number + 1)
    return Formula::name("((" + a->text() + ") mod " + Formula(*number + 1).text() + ")");
  return std::nullopt;
}

std::optional<std::string> ThreadValues::condition(std::size_t block, std::string_view predicate,
                                                   bool negated) const {
  return condition_at(predicate, negated, end_of(block));
}

std::optional<std::string> ThreadValues::condition_at(std::string_view predicate, bool negated,
                                                      const Place& use) const {
  const auto place = definition(predicate, use);
  if (!place || depth_ > kDeepestCondition) return std::nullopt;
  const ptx::Instruction& ins = at(*place);
  const std::string_view base = ins.parts.front();
  if (base == "setp" && compares_integers(ins) && ins.operands.size() == 3) {
    const Comparison* comparison = comparison_named(ins.parts[1]);
    if (comparison != nullptr && negated) comparison = comparison_named(comparison->opposite);
    const auto a = value(ins.operands[1], *place), b = value(ins.operands[2], *place);
    if (comparison == nullptr || !a || !b) return std::nullopt;
    return a->text() + " " + std::string(comparison->sign) + " " + b->text();
  }
  const bool both = base == "and", either = base == "or", opposite = base == "not";
  if ((!both && !either && !opposite) || ins.operands.size() < (opposite ? 2U : 3U))
    return std::nullopt;
  ++depth_;
  const auto first = condition_at(ins.operands[1].name, negated != opposite, *place);
  const auto second = opposite ? first : condition_at(ins.operands[2].name, negated, *place);
  --depth_;
  if (!first || !second || opposite) return first && second ? first : std::nullopt;
  return "(" + *first + (both != negated ? " && " : " || ") + *second + ")";
}

std::optional<ThreadValues::Induction> ThreadValues::induction(std::string_view name,
                                                               const Place& use,
                                                               const FlowLoop& loop) const {
  // From what is compared back to the register that the loop carries, and once around.
  Induction found;
  std::string_view carried, each = name;
  double sum = 0;
  bool stepped = false;  // before it is read
  Place reader = use;
  for (int i = 0; i < kDeepest; ++i) {
    const auto it = definitions_.find(each);
    if (it == definitions_.end()) return std::nullopt;
    std::vector<Place> inside, outside;
    for (const Place& place : it->second) {
      if (loop.inside[place.block]) {
        inside.push_back(place);
      } else if (flow_.reached[loop.header][place.block]) {
        outside.push_back(place);
      }
    }
    if (inside.size() != 1) return std::nullopt;
    if (carried.empty() && !outside.empty()) {
      carried = each;
      found.ahead = sum;
      sum = 0;
      stepped = before(inside.front(), reader);
      const auto begin = outside.size() == 1 ? computed(outside.front()) : std::nullopt;
      if (!begin) return std::nullopt;
      found.begin = *begin;
    }
    const ptx::Instruction& ins = at(inside.front());
    const std::string_view base = ins.parts.front();
    if (!ins.guard.empty() || ins.operands.size() < 2) return std::nullopt;
    if (base == "add" || base == "sub") {
      const auto number = value(ins.operands[2], inside.front());
      if (!number || !number->number()) return std::nullopt;
      sum += base == "add" ? *number->number() : -*number->number();
    } else if (base != "mov" && base != "cvt") {
      return std::nullopt;
    }
    reader = inside.front();
    each = ins.operands[1].name;
    if (carried.empty() || each != carried) continue;
    found.step = sum;
    if (stepped) found.ahead += sum;
    return sum == 0 ? std::nullopt : std::optional(found);
  }
  return std::nullopt;
}

std::optional<Formula> ThreadValues::trips_by(std::size_t block, const FlowLoop& loop) const {
  const FlowBlock& exit = flow_.blocks[block];
  if (exit.guard.empty() || exit.next.size() != 2) return std::nullopt;
  const bool target_stays = loop.inside[exit.next[0]];
  const auto place = definition(exit.guard, end_of(block));
  if (!place) return std::nullopt;
  const ptx::Instruction& test = at(*place);
  if (test.parts.front() != "setp" || !compares_integers(test) || test.operands.size() != 3)
    return std::nullopt;
  // The loop goes on while the comparison, or its opposite, holds.
  const Comparison* comparison = comparison_named(test.parts[1]);
  if (comparison != nullptr && exit.guard_negated == target_stays)
    comparison = comparison_named(comparison->opposite);
  if (comparison == nullptr) return std::nullopt;
  const auto induced = induction(test.operands[1].name, *place, loop);
  const auto bound = value(test.operands[2], *place);
  if (!induced || !bound) return std::nullopt;
  const auto steps = steps_until(induced->begin + Formula(induced->ahead), induced->step,
                                 comparison->word, *bound);
  if (!steps) return std::nullopt;
  // A test at the end lets the body run once more.
  const bool at_end = std::find(exit.next.begin(), exit.next.end(), loop.header) != exit.next.end();
  return at_end ? *steps + 1 : *steps;
}

std::optional<Formula> ThreadValues::trips(const FlowLoop& loop) const {
  std::optional<Formula> found;
  for (std::size_t i = 0; i < flow_.blocks.size(); ++i) {
    if (!loop.inside[i]) continue;
    const bool exits = std::any_of(flow_.blocks[i].next.begin(), flow_.blocks[i].next.end(),
                                   [&](std::size_t next) { return !loop.inside[next]; });
    if (!exits) continue;
    if (found) return std::nullopt;  // two ways out
    found = trips_by(i, loop);
    if (!found) return std::nullopt;
  }
  return found;
}

}  // namespace warpwright::flop
