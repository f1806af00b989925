// SPDX-License-Identifier: Apache-2.0
// Any bytes give a plan or an error; a plan survives the way out and back unchanged.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/launch_plan.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpwright;
  const auto plan = plan_from_text({reinterpret_cast<const char*>(data), size});
  if (!plan.ok()) return 0;
  const auto again = plan_from_text(plan_to_text(*plan));
  if (!again.ok() || !(*again == *plan)) std::abort();
  return 0;
}
