// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace warpwright::torch {

using TraceJson = nlohmann::ordered_json;

bool contains(std::string_view text, std::string_view part);

/// The text of a key; empty where there is none.
std::string text_member(const TraceJson& json, const char* key);

/// dtype -> torch's name; an error for those that tasks do not have.
Result<std::string> torch_type(const std::string& dtype);

/// Axes of a definition: where each gets its value from.
struct Axes {
  std::map<std::string, std::string> constant;               ///< name -> number
  std::vector<std::pair<std::string, std::string>> derived;  ///< name -> expression, in order
  std::map<std::string, long> varying;                       ///< name -> value of the workload
  std::map<std::string, std::string> ends;                   ///< "kv_indptr" -> "num_kv_indices"
};

/// Python for the inputs of a definition: shapes from its axes, values from what their names,
/// constraints and the workload say.
class TraceInputs {
 public:
  TraceInputs(const TraceJson& definition, const Axes& axes, const TraceJson& workload)
      : definition_(definition), axes_(axes), workload_(workload) {}

  /// One expression per input, or why there is none.
  [[nodiscard]] Result<std::string> expression(const std::string& name,
                                               const TraceJson& input) const;

 private:
  [[nodiscard]] std::string scalar(const std::string& name, const std::string& dtype) const;
  [[nodiscard]] std::string axis_of(std::initializer_list<std::string_view> names,
                                    const std::string& otherwise) const;
  [[nodiscard]] bool is_packed(const std::string& name) const;
  [[nodiscard]] std::string total_of(const std::string& name) const;
  [[nodiscard]] Result<std::string> whole_numbers(const std::string& name, const TraceJson& shape,
                                                  const std::string& dims,
                                                  const std::string& type) const;

  const TraceJson& definition_;
  const Axes& axes_;
  const TraceJson& workload_;
};

}  // namespace warpwright::torch
