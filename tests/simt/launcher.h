// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simt/machine.h"

namespace warpwright::simt {

/// Parameter bytes of a launch, each value at its natural alignment.
class Params {
 public:
  template <class T>
  Params& add(T value) {
    while (bytes_.size() % sizeof(T) != 0) bytes_.push_back(std::byte{0});
    const auto* p = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), p, p + sizeof value);
    return *this;
  }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// A machine with one module, for tests.
class Launcher {
 public:
  explicit Launcher(std::string_view ptx) {
    Result<Module> module = load(ptx);
    EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().message);
    if (module.ok()) modules_.push_back(std::move(module).value());
  }

  template <class T>
  Address put(const std::vector<T>& values, std::string_view name) {
    const Address a = empty(values.size() * sizeof(T), name);
    EXPECT_TRUE(machine_.memory().copy_in(a, std::as_bytes(std::span(values))).ok());
    return a;
  }
  Address empty(std::uint64_t bytes, std::string_view name) {
    return machine_.memory().allocate(bytes, name).value();
  }
  template <class T>
  std::vector<T> get(Address a, std::size_t count) {
    std::vector<T> values(count);
    EXPECT_TRUE(machine_.memory().copy_out(std::as_writable_bytes(std::span(values)), a).ok());
    return values;
  }
  LaunchReport run(std::string_view kernel, Dim3 grid, Dim3 block, const Params& params,
                   LaunchOptions options = {}, std::uint32_t shared = 0) {
    if (modules_.empty()) return {};
    Result<LaunchReport> r = machine_.launch(
        modules_[0], {kernel, grid, block, shared, params.bytes(), std::move(options)});
    EXPECT_TRUE(r.ok()) << (r.ok() ? "" : r.error().message);
    return r.ok() ? std::move(r).value() : LaunchReport{};
  }
  [[nodiscard]] Machine& machine() { return machine_; }
  [[nodiscard]] const Module& module() const { return modules_.at(0); }

 private:
  Machine machine_;
  std::vector<Module> modules_;
};

}  // namespace warpwright::simt
