// SPDX-License-Identifier: Apache-2.0
#include "exchange/plain_operator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "core/domain.h"

namespace warpwright::exchange {

namespace {

struct PlainType {
  ElementType type;
  const char* torch;
};
// Torch has few operators for unsigned numbers of 32 bits: their bits travel as signed ones.
constexpr std::array<PlainType, kElementTypeCount> kPlainTypes = {{
    {ElementType::f32, "float32"},
    {ElementType::i32, "int32"},
    {ElementType::f16, "float16"},
    {ElementType::bf16, "bfloat16"},
    {ElementType::f64, "float64"},
    {ElementType::u32, "int32"},
    {ElementType::i64, "int64"},
    {ElementType::u8, "uint8"},
    {ElementType::i8, "int8"},
}};

// Words of Python that are names in C++, and what the Python texts use themselves.
constexpr auto kTaken = std::to_array<std::string_view>(
    {"None",   "True",   "False", "and",  "as",     "assert",   "async",
     "await",  "def",    "del",   "elif", "except", "finally",  "from",
     "global", "import", "in",    "is",   "lambda", "nonlocal", "not",
     "or",     "pass",   "raise", "with", "yield",  "math",     "torch"});

const char* torch_type(ElementType type) {
  for (const PlainType& row : kPlainTypes)
    if (row.type == type) return row.torch;
  return "float32";
}

Status check_name(const std::string& name) {
  if (std::find(kTaken.begin(), kTaken.end(), name) == kTaken.end()) return {};
  return Error{
      fmt::format("'{}' is a word of Python: no operator can have an argument of that name", name)};
}

bool all_known(const std::set<std::string>& names, const std::set<std::string>& known) {
  return std::all_of(names.begin(), names.end(),
                     [&](const auto& name) { return known.contains(name); });
}

bool can_be_computed(const std::string& text, const std::set<std::string>& known) {
  const auto parsed = Expression::parse(text);
  return parsed.ok() && all_known(parsed->names(), known);
}

/// Values that follow from the caller's numbers: derived ones, and fixed ones of the sizes. Of
/// these, those that something needs are kept, in an order in which they can be computed.
void add_computed(const Task& task, PlainOperator& op, std::set<std::string>& known) {
  std::map<std::string, std::string> open = task.derived;
  for (const auto& [name, text] : task.domain) {
    const auto domain = Domain::parse(text);
    if (domain.ok() && domain->kind() == Domain::Kind::fixed) open.emplace(name, domain->low());
  }
  for (bool more = true; more;) {
    more = false;
    for (const auto& [name, text] : open) {
      if (known.contains(name) || !can_be_computed(text, known)) continue;
      op.computed.emplace_back(name, text);
      known.insert(name);
      more = true;
    }
  }
}

/// Only sums and products, also over plain numbers: with every name in it, it grows.
bool grows_with_names(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto next = text.find_first_not_of(' ', i + 1);
    const char then = next == std::string_view::npos ? ' ' : text[next];
    const bool letter = std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
    if (letter && then == '(') return false;  // a function
    if (c == '/' && std::isdigit(static_cast<unsigned char>(then)) != 0) continue;
    const bool plain = letter || std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!plain && c != '.' && c != ' ' && c != '+' && c != '*' && c != '(' && c != ')')
      return false;
  }
  return true;
}

/// The least values of the names that the caller does not give, where all of them are known.
std::vector<std::pair<std::string, std::string>> least_values(const Task& task,
                                                              const std::string& count,
                                                              const std::set<std::string>& known) {
  const auto parsed = Expression::parse(count);
  if (!parsed.ok() || !grows_with_names(count)) return {};
  std::vector<std::pair<std::string, std::string>> least;
  for (const std::string& name : parsed->names()) {
    if (known.contains(name)) continue;
    const auto text = task.domain.find(name);
    if (text == task.domain.end()) return {};
    const auto domain = Domain::parse(text->second);
    if (!domain.ok() || domain->kind() == Domain::Kind::choices) return {};
    const auto low = value_of(domain->low(), {});
    if (!low.ok() || *low < 0) return {};
    least.emplace_back(name, domain->low());
  }
  return least;
}

void add_condition(std::string condition, const std::set<std::string>& known, PlainBound& bound) {
  if (can_be_computed(condition, known)) bound.conditions.push_back(std::move(condition));
}

/// What the task's domain asks of a number. Ends that depend on what the caller does not give are
/// left out.
void add_bound(const Task& task, const PlainNumber& number, const std::set<std::string>& known,
               PlainOperator& op) {
  const auto text = task.domain.find(number.name);
  if (text == task.domain.end()) return;
  const auto domain = Domain::parse(text->second);
  if (!domain.ok()) return;
  const std::string& name = number.name;
  PlainBound bound{.name = name, .words = domain->words(), .conditions = {}};
  if (domain->kind() == Domain::Kind::choices || domain->kind() == Domain::Kind::fixed) {
    bound.one_is_enough = true;
    for (const std::string& part : domain->parts())
      add_condition(fmt::format("{} == ({})", name, part), known, bound);
    if (bound.conditions.size() != domain->parts().size()) return;
  } else {
    add_condition(fmt::format("{} >= ({})", name, domain->low()), known, bound);
    add_condition(fmt::format("{} <= ({})", name, domain->high()), known, bound);
    if (domain->kind() == Domain::Kind::whole && !number.whole)
      bound.conditions.push_back(name + " % 1 == 0");
    const auto at = text->second.find(" multiple of ");
    if (at != std::string::npos)
      add_condition(fmt::format("{} % ({}) == 0", name, text->second.substr(at + 13)), known,
                    bound);
  }
  if (!bound.conditions.empty()) op.bounds.push_back(std::move(bound));
}

PlainTensor plain_tensor(const Task& task, const TaskArgument& argument,
                         const std::set<std::string>& known) {
  PlainTensor tensor{.name = argument.name,
                     .type = torch_type(argument.type),
                     .role = argument.role,
                     .count = argument.expression};
  tensor.counted = can_be_computed(argument.expression, known);
  if (!tensor.counted) tensor.least = least_values(task, argument.expression, known);
  return tensor;
}

}  // namespace

Result<PlainOperator> plain_operator_of(const Task& task) {
  PlainOperator op;
  op.name = task.name;
  op.stream = task.stream;
  std::set<std::string> known;
  for (const TaskArgument& argument : task.arguments) {
    WW_CHECK(check_name(argument.name));
    op.order.push_back(argument.name);
    if (is_buffer(argument)) continue;
    if (is_half(argument.type))
      return Error{fmt::format("'{}' is a number of 16 bits, which no operator of PyTorch takes",
                               argument.name)};
    op.numbers.push_back(
        {argument.name, std::string(cuda_name(argument.type)), !is_floating(argument.type)});
    known.insert(argument.name);
  }
  add_computed(task, op, known);
  for (const TaskArgument& argument : task.arguments)
    if (is_buffer(argument)) op.tensors.push_back(plain_tensor(task, argument, known));
  for (const PlainNumber& number : op.numbers) add_bound(task, number, known, op);
  if (op.given().empty()) return Error{"an operator of PyTorch needs an input"};
  return op;
}

std::vector<const PlainTensor*> PlainOperator::given() const {
  std::vector<const PlainTensor*> found;
  for (const auto& tensor : tensors)
    if (tensor.role != ArgumentRole::output) found.push_back(&tensor);
  return found;
}

std::vector<const PlainTensor*> PlainOperator::made() const {
  std::vector<const PlainTensor*> found;
  for (const auto& tensor : tensors)
    if (tensor.role == ArgumentRole::output) found.push_back(&tensor);
  return found;
}

std::vector<const PlainTensor*> PlainOperator::lengths_given() const {
  auto found = made();
  std::erase_if(found, [](const auto* tensor) { return tensor->counted; });
  return found;
}

std::string schema_of(const PlainOperator& op) {
  std::string list;
  const auto add = [&](const std::string& text) { list += (list.empty() ? "" : ", ") + text; };
  char alias = 'a';
  for (const auto* tensor : op.given())
    add(tensor->role == ArgumentRole::inout ? fmt::format("Tensor({}!) {}", alias++, tensor->name)
                                            : "Tensor " + tensor->name);
  for (const auto& number : op.numbers) add((number.whole ? "int " : "float ") + number.name);
  for (const auto* tensor : op.lengths_given()) add("int " + tensor->name + "_count");
  const std::size_t outputs = op.made().size();
  std::string results;
  for (std::size_t i = 0; i < outputs; ++i) results += i == 0 ? "Tensor" : ", Tensor";
  return fmt::format("({}) -> {}", list, outputs == 1 ? results : "(" + results + ")");
}

std::string parameter_names(const PlainOperator& op) {
  std::string list;
  const auto add = [&](const std::string& text) { list += (list.empty() ? "" : ", ") + text; };
  for (const auto* tensor : op.given()) add(tensor->name);
  for (const auto& number : op.numbers) add(number.name);
  for (const auto* tensor : op.lengths_given()) add(tensor->name + "_count");
  return list;
}

}  // namespace warpwright::exchange
