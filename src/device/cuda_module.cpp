// SPDX-License-Identifier: Apache-2.0
#include "device/cuda_module.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "ptx/variables.h"

namespace warpwright::device {

CudaModule::~CudaModule() { unload(); }

void CudaModule::unload() {
  for (const Variable& variable : variables_) driver_.memory_free(variable.saved);
  variables_.clear();
  functions_.clear();
  if (module_ != nullptr) driver_.module_unload(module_);
  module_ = nullptr;
}

void CudaModule::abandon() {
  variables_.clear();
  functions_.clear();
  module_ = nullptr;
}

Result<std::optional<Fault>> CudaModule::load() {
  unload();
  WW_TRY(auto fault, load_image());
  if (fault) return fault;
  WW_CHECK(save_variables());
  return std::optional<Fault>{};
}

Result<std::optional<Fault>> CudaModule::load_image() {
  if (!code_.cubin.empty() &&
      driver_.module_load(&module_, code_.cubin.data(), 0, nullptr, nullptr) == 0) {
    return std::optional<Fault>{};
  }
  if (code_.ptx.empty() || code_.cubin_only)
    return Error{"the driver refuses the compiled code, and there is no PTX to use instead"};
  std::array<char, 4096> log{};
  std::array<int, 2> options{kCuJitErrorLog, kCuJitErrorLogBytes};
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size() - 1)};
  const CuResult result =
      driver_.module_load(&module_, code_.ptx.c_str(), 2, options.data(), values.data());
  if (result == 0) return std::optional<Fault>{};
  const std::string said = clean_utf8(trimmed(log.data()));
  if (result != kCuInvalidPtx || said.empty()) {
    return Error{"could not load the compiled code: " + driver_.describe(result) + " " + said};
  }
  return std::optional<Fault>(Fault{
      .verdict = Verdict::compile_error, .kind = "invalid_ptx", .message = shortened(said, 1000)});
}

Status CudaModule::save_variables() {
  // Without the PTX there is no list of variables, so nothing can be said about them.
  all_addressable_ = !code_.ptx.empty();
  bool any = false;
  for (const ptx::ModuleVariable& known : ptx::module_variables(code_.ptx)) {
    if (known.is_extern) continue;
    Variable variable;
    std::size_t bytes = 0;
    if (driver_.module_global(&variable.at, &bytes, module_, known.name.c_str()) != 0) {
      all_addressable_ = false;
      continue;
    }
    variable.bytes = bytes;
    WW_CHECK(driver_.check(driver_.memory_alloc(&variable.saved, std::max<std::size_t>(bytes, 1)),
                           "keep a copy of the module's variables"));
    variables_.push_back(variable);
    any = true;
    WW_CHECK(driver_.check(driver_.copy_async(variable.saved, variable.at, bytes, nullptr),
                           "copy the module's variables"));
  }
  if (!any) return {};
  return driver_.check(driver_.stream_synchronize(nullptr), "copy the module's variables");
}

Result<bool> CudaModule::restore(CuStream stream) {
  if (!all_addressable_) return false;
  for (const Variable& variable : variables_) {
    WW_CHECK(driver_.check(driver_.copy_async(variable.at, variable.saved, variable.bytes, stream),
                           "reset the module's variables"));
  }
  return true;
}

CuFunction CudaModule::function(std::string_view name) const {
  if (const auto known = functions_.find(name); known != functions_.end()) return known->second;
  CuFunction function = nullptr;
  if (driver_.module_function(&function, module_, std::string(name).c_str()) != 0) return nullptr;
  functions_.emplace(name, function);
  return function;
}

std::optional<CuAddress> CudaModule::variable(const std::string& name) const {
  CuAddress at = 0;
  std::size_t bytes = 0;
  if (driver_.module_global(&at, &bytes, module_, name.c_str()) != 0) return std::nullopt;
  return at;
}

}  // namespace warpwright::device
