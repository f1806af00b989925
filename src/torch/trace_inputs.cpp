// SPDX-License-Identifier: Apache-2.0
#include "torch/trace_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include "core/json_reader.h"

namespace warpwright::torch {

namespace {

bool is_float_type(std::string_view dtype) {
  return dtype.starts_with("float") || dtype.starts_with("bfloat");
}

std::string reals(const std::string& name, const TraceJson& shape, const std::string& dims) {
  // n numbers u^(n/8 - 1) / 8 add up to 1 on average, and a few of them to most of it.
  if (contains(name, "prob") && shape.size() > 1)
    return fmt::format("(torch.rand({}) ** max(1, {} // 8 - 1) / 8)", dims,
                       shape.back().get<std::string>());
  if (contains(name, "prob") || contains(name, "top_p") || contains(name, "scale"))
    return fmt::format("torch.rand({})", dims);
  if (contains(name, "cos") || contains(name, "sin"))
    return fmt::format("(torch.rand({}) * 2 - 1)", dims);
  if (contains(name, "weight") && shape.size() == 1)
    return fmt::format("(torch.rand({}) + 0.5)", dims);
  return fmt::format("torch.randn({})", dims);
}

}  // namespace

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string text_member(const TraceJson& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

Result<std::string> torch_type(const std::string& dtype) {
  static constexpr std::array<std::string_view, 9> kKnown = {
      "float32", "float16", "bfloat16", "float64", "int64", "int32", "int8", "uint8", "bool"};
  if (std::find(kKnown.begin(), kKnown.end(), dtype) != kKnown.end()) return "torch." + dtype;
  return Error{fmt::format("the type {} is none that tasks have", dtype)};
}

Result<std::string> TraceInputs::expression(const std::string& name, const TraceJson& input) const {
  const std::string dtype = text_member(input, "dtype");
  WW_TRY(const auto type, torch_type(dtype));
  const auto shape = input.find("shape");
  if (shape == input.end() || shape->is_null()) return scalar(name, dtype);
  if (!shape->is_array()) return Error{fmt::format("the input '{}' has no shape", name)};
  std::string dims;
  for (const auto& axis : *shape) {
    if (!axis.is_string()) return Error{fmt::format("the shape of '{}' names no axes", name)};
    dims += axis.get<std::string>() + ", ";
  }
  dims = "(" + dims + ")";
  if (dtype == "bool") return fmt::format("torch.randint(0, 2, {}).bool()", dims);
  if (!is_float_type(dtype)) return whole_numbers(name, *shape, dims, type);
  return fmt::format("{}.to({})", reals(name, *shape, dims), type);
}
std::string TraceInputs::scalar(const std::string& name, const std::string& dtype) const {
  if (workload_.contains("inputs") && workload_["inputs"].is_object() &&
      workload_["inputs"].contains(name)) {
    const auto& given = workload_["inputs"][name];
    if (given.is_object() && given.contains("value") && given["value"].is_number())
      return dump_json(given["value"]);
    if (given.is_object() && given.contains("value") && given["value"].is_boolean())
      return given["value"].get<bool>() ? "True" : "False";
  }
  if (!is_float_type(dtype)) return dtype == "bool" ? "True" : "0";
  return contains(name, "eps") ? "1e-6" : contains(name, "scale") ? "0.125" : "1.0";
}

/// The first of these axes that there is.
std::string TraceInputs::axis_of(std::initializer_list<std::string_view> names,
                                 const std::string& otherwise) const {
  for (const auto name : names) {
    if (definition_["axes"].contains(std::string(name))) return std::string(name);
  }
  return otherwise;
}

/// Whether the reference takes it apart: "NAME >> 16".
bool TraceInputs::is_packed(const std::string& name) const {
  const std::string reference = text_member(definition_, "reference");
  return contains(reference, name + " >> 16") || contains(reference, name + ">>16");
}

/// The rows that ends of segments count: said by a constraint, else by the name.
std::string TraceInputs::total_of(const std::string& name) const {
  if (const auto found = axes_.ends.find(name); found != axes_.ends.end()) return found->second;
  if (contains(name, "kv")) return axis_of({"num_kv_indices", "total_kv", "total_tokens"}, "16");
  if (contains(name, "qo") || contains(name, "q_"))
    return axis_of({"total_q", "total_qo", "total_tokens", "num_tokens"}, "16");
  return axis_of({"total_seq_len", "total_tokens", "total_q", "num_tokens", "total_kv"}, "16");
}

Result<std::string> TraceInputs::whole_numbers(const std::string& name, const TraceJson& shape,
                                               const std::string& dims,
                                               const std::string& type) const {
  const auto drawn = [&](const std::string& low, const std::string& high) {
    return fmt::format("torch.randint({}, {}, {}).to({})", low, high, dims, type);
  };
  if ((contains(name, "indptr") || contains(name, "cu_seq") || contains(name, "offset")) &&
      shape.size() == 1) {
    const auto count = shape[0].get<std::string>();
    return fmt::format("(torch.arange({}) * ({}) // max(1, {} - 1)).to({})", count, total_of(name),
                       count, type);
  }
  if (is_packed(name))  // the expert's number above the bits of its weight, a half here
    return fmt::format("(torch.randint(0, {}, {}) * 65536 + 16128).to({})",
                       axis_of({"num_experts", "num_local_experts", "E"}, "4"), dims, type);
  if (contains(name, "last_page")) return drawn("1", axis_of({"page_size"}, "1") + " + 1");
  if (contains(name, "top_k")) return drawn("1", "21");
  if (contains(name, "position")) return drawn("0", axis_of({"max_seq_len", "max_position"}, "4"));
  if (contains(name, "expert") || contains(name, "topk_id"))
    return drawn("0", axis_of({"num_experts", "num_local_experts", "E"}, "4"));
  if (contains(name, "indices") || contains(name, "page") || contains(name, "block") ||
      contains(name, "slot"))
    return drawn("0", axis_of({"num_pages", "state_cache_size", "pool_size", "num_blocks",
                               "cache_size", "num_states", "batch_size"},
                              "1"));
  if (contains(name, "len"))
    return drawn("1", axis_of({"max_seq_len", "seq_len", "page_size"}, "4") + " + 1");
  return drawn("0", "4");
}

}  // namespace warpwright::torch
