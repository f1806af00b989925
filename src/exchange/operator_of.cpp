// SPDX-License-Identifier: Apache-2.0
#include "exchange/operator_of.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/domain.h"

namespace warpwright::exchange {

namespace {

struct TypeRow {
  ElementType type;
  const char* torch;
  const char* at;
};
constexpr std::array<TypeRow, 9> kTypeRows = {{
    {ElementType::f32, "float32", "at::kFloat"},
    {ElementType::f64, "float64", "at::kDouble"},
    {ElementType::f16, "float16", "at::kHalf"},
    {ElementType::bf16, "bfloat16", "at::kBFloat16"},
    {ElementType::i32, "int32", "at::kInt"},
    {ElementType::i64, "int64", "at::kLong"},
    {ElementType::u8, "uint8", "at::kByte"},
    {ElementType::i8, "int8", "at::kChar"},
    {ElementType::u8, "bool", "at::kBool"},
}};

/// At commas outside of parentheses.
std::vector<std::string> split_top(std::string_view text) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.push_back(std::move(part));
      part.clear();
    } else if (c != ' ' || !part.empty()) {
      part += c;
    }
  }
  if (!part.empty()) parts.push_back(std::move(part));
  return parts;
}

/// "input 0: float32[rows, cols]" in its parts.
Result<OperatorTensor> tensor_of(const TaskArgument& argument) {
  const std::string& text = argument.torch;
  const auto colon = text.find(": ");
  const auto open = text.find('[', colon == std::string::npos ? 0 : colon);
  if (colon == std::string::npos || open == std::string::npos || !text.ends_with(']'))
    return Error{
        fmt::format("task.toml does not say the type and shape of '{}' (torch = \"input 0: "
                    "float32[rows, cols]\"), which an operator needs",
                    argument.name)};
  OperatorTensor tensor{.name = argument.name, .role = argument.role};
  tensor.slot = text.substr(0, colon);
  tensor.type = text.substr(colon + 2, open - colon - 2);
  const char* constness = argument.role == ArgumentRole::input ? "const " : "";
  tensor.cuda = fmt::format("{}{}", constness, cuda_name(argument.type));
  const auto known = std::any_of(kTypeRows.begin(), kTypeRows.end(), [&](const TypeRow& row) {
    return row.type == argument.type && tensor.type == row.torch;
  });
  if (!known)
    return Error{fmt::format("'{}' is {} for the kernel and {} for PyTorch", argument.name,
                             name_of(argument.type), tensor.type)};
  for (const std::string& part : split_top(text.substr(open + 1, text.size() - open - 2)))
    tensor.shape.push_back(part);
  return tensor;
}

/// Dimensions, multiplied, are the number of elements.
Status check_count(const Task& task, const TaskArgument& argument, const OperatorTensor& tensor) {
  WW_TRY(const auto values, values_at(task, task.sizes.front()));
  WW_TRY(const auto count, element_count(argument, values));
  double product = 1;
  for (const std::string& dimension : tensor.shape) {
    WW_TRY(const double value, value_of(dimension, values));
    product *= value;
  }
  if (product == static_cast<double>(count)) return {};
  return Error{
      fmt::format("'{}' has {} elements, its shape says {}", argument.name, count, product)};
}

/// A value of the size that stands alone as a dimension of what is given.
bool find_dimension(const Operator& op, OperatorNumber& number) {
  for (const OperatorTensor& tensor : op.tensors) {
    if (tensor.role == ArgumentRole::output) continue;
    for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
      if (tensor.shape[d] != number.name) continue;
      number.tensor = tensor.name;
      number.dimension = d;
      return true;
    }
  }
  return false;
}

void add_bounds(const std::string& name, const std::string& text, Operator& op) {
  const auto domain = Domain::parse(text);
  if (!domain.ok()) return;
  if (domain->kind() == Domain::Kind::fixed) {
    op.bounds.push_back({name, "==", domain->low()});
    return;
  }
  if (domain->kind() != Domain::Kind::whole) return;
  op.bounds.push_back({name, ">=", domain->low()});
  op.bounds.push_back({name, "<=", domain->high()});
  const auto at = text.find(" multiple of ");
  if (at != std::string::npos)
    op.bounds.push_back({fmt::format("{} % ({})", name, text.substr(at + 13)), "==", "0"});
}

/// The values of a size, and what is derived from them where something needs it.
void add_numbers(const Task& task, Operator& op) {
  std::set<std::string> known;
  for (const auto& [name, value] : task.sizes.front().values) {
    OperatorNumber number{
        .name = name, .tensor = "", .dimension = 0, .text = fmt::format("{}", value)};
    if (find_dimension(op, number)) {
      const auto domain = task.domain.find(name);
      if (domain != task.domain.end()) add_bounds(name, domain->second, op);
    }
    op.numbers.push_back(number);
    known.insert(name);
  }
  std::set<std::string> needed;
  const auto need = [&](const std::string& text) {
    if (const auto parsed = Expression::parse(text); parsed.ok())
      for (const auto& name : parsed->names()) needed.insert(name);
  };
  for (const auto& tensor : op.tensors)
    for (const auto& dimension : tensor.shape) need(dimension);
  for (const auto& argument : task.arguments)
    if (!is_buffer(argument)) need(argument.expression);
  for (std::size_t round = 0; round < task.derived.size(); ++round) {
    for (const auto& [name, text] : task.derived) {
      if (known.contains(name) || !needed.contains(name)) continue;
      need(text);
      const auto parsed = Expression::parse(text);
      if (!parsed.ok()) continue;
      const auto names = parsed->names();
      if (!std::all_of(names.begin(), names.end(),
                       [&](const auto& n) { return known.contains(n); }))
        continue;
      op.numbers.push_back({.name = name, .tensor = "", .dimension = 0, .text = text});
      known.insert(name);
    }
  }
}

}  // namespace

Result<Operator> operator_of(const Task& task) {
  Operator op;
  op.name = task.name;
  op.stream = task.stream;
  for (const TaskArgument& argument : task.arguments) {
    if (!is_buffer(argument)) {
      op.call.push_back(fmt::format("{}:{}", cuda_name(argument.type), argument.expression));
      continue;
    }
    WW_TRY(auto tensor, tensor_of(argument));
    WW_CHECK(check_count(task, argument, tensor));
    op.tensors.push_back(std::move(tensor));
    op.call.push_back(argument.name);
  }
  if (given_tensors(op).empty()) return Error{"an operator of PyTorch needs an input"};
  add_numbers(task, op);
  return op;
}

std::vector<const OperatorTensor*> given_tensors(const Operator& op) {
  std::vector<const OperatorTensor*> found;
  for (const auto& tensor : op.tensors)
    if (tensor.role != ArgumentRole::output) found.push_back(&tensor);
  return found;
}

std::vector<const OperatorTensor*> made_tensors(const Operator& op) {
  std::vector<const OperatorTensor*> found;
  for (const auto& tensor : op.tensors)
    if (tensor.role == ArgumentRole::output) found.push_back(&tensor);
  return found;
}

std::string at_type(const std::string& type) {
  for (const TypeRow& row : kTypeRows)
    if (type == row.torch) return row.at;
  return "at::kFloat";
}

}  // namespace warpwright::exchange
