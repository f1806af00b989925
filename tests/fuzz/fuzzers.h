// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <vector>

/// A fuzz target by its name: a row of tests/fuzz/CMakeLists.txt.
struct Fuzzer {
  const char* name;
  int (*run)(const std::uint8_t* data, std::size_t size);
};

/// All of this build. Made from the rows.
const std::vector<Fuzzer>& all_fuzzers();
