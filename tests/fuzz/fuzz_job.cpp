// SPDX-License-Identifier: Apache-2.0
// Job requests and results: any text gives a value or an error, and a value survives a round trip.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/evaluation_json.h"
#include "evaluate/job.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpwright;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto request = evaluate::request_from_json(text); request.ok()) {
    const auto again = evaluate::request_from_json(evaluate::request_to_json(*request));
    if (!again.ok() || !(*again == *request)) std::abort();
  }
  if (const auto result = evaluation_from_json(text); result.ok()) {
    const auto again = evaluation_from_json(evaluation_to_json(*result));
    if (!again.ok() || !(*again == *result)) std::abort();
  }
  return 0;
}
