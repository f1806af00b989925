// SPDX-License-Identifier: Apache-2.0
#include "verify/device_reference.h"

#include <fmt/format.h>

#include "verify/oracle_source.h"

namespace warpwright::verify {

std::vector<ReferenceParameter> device_reference_parameters(const Task& task) {
  auto parameters = reference_parameters(task);
  parameters.push_back(
      {ReferenceParameter::Kind::choice, 0, "const unsigned long long*", "choice"});
  return parameters;
}

namespace {

std::string parameter_list(const Task& task) {
  std::vector<std::string> parts;
  for (const auto& parameter : device_reference_parameters(task))
    parts.push_back(parameter.type + " " + parameter.name);
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string device_reference_signature(const Task& task) {
  return fmt::format("extern \"C\" void reference({})", parameter_list(task));
}

std::string device_reference_program(const Task& task) {
  if (task.device_reference_source.empty()) return {};
  std::vector<std::string> names;
  for (const auto& parameter : device_reference_parameters(task)) names.push_back(parameter.name);
  return fmt::format(
      "{}\n#line 1 \"reference.cu\"\n{}\n\nextern \"C\" void solve({}) {{ reference({}); }}\n",
      reference_prelude(), task.device_reference_source, parameter_list(task),
      fmt::join(names, ", "));
}

}  // namespace warpwright::verify
