// SPDX-License-Identifier: Apache-2.0
// How long inputs, references and checks take on one core, at each task's largest timed size:
//   build/release/bench/reference_bench [TASK...]
// The judge may spend 3 s on a reference. Needs up to 20 GB of memory for the largest tasks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>

#include "suite/load.h"
#include "verify/check.h"

namespace {

using namespace warpwright;

// Processor time, so that a busy machine does not spoil the figures.
double now_s() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// A product too large for expected values is measured with a matrix of zeros: its result is known.
const InputVariant* variant_for(const Task& task, bool needed) {
  const auto zeros = [](const InputVariant& variant) { return variant.name == "zeros"; };
  const auto found = std::find_if(task.variants.begin(), task.variants.end(), zeros);
  return needed || found == task.variants.end() ? nullptr : &*found;
}

// The expected values as a kernel would leave them; for products without expected values, zeros.
std::vector<verify::Bytes> outputs_from(const verify::Instance& instance,
                                        std::vector<verify::Expected>& expected) {
  const auto& arguments = instance.task->arguments;
  std::vector<verify::Bytes> outputs(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].role != ArgumentRole::output && arguments[i].role != ArgumentRole::inout)
      continue;
    outputs[i].resize(element_count(arguments[i], instance.values).value() *
                      bytes_of(arguments[i].type));
    if (expected.empty()) continue;
    if (!expected[i].native.empty()) outputs[i] = expected[i].native;
    for (std::size_t k = 0; k < expected[i].wide.size(); ++k) {
      const float value = static_cast<float>(expected[i].wide[k]);
      const bool is_half = arguments[i].type == ElementType::f16;
      const std::uint16_t half =
          is_half ? verify::to_half_bits(value) : verify::to_bfloat_bits(value);
      if (is_half || arguments[i].type == ElementType::bf16)
        std::memcpy(outputs[i].data() + 2 * k, &half, 2);
      else if (arguments[i].type == ElementType::i8)
        outputs[i][k] = static_cast<std::byte>(static_cast<signed char>(std::rint(value)));
      else
        std::memcpy(outputs[i].data() + 4 * k, &value, 4);
    }
  }
  return outputs;
}

Status measure(const std::string& name) {
  WW_TRY(const auto task, suite::load_task(name));
  WW_TRY(const auto timed, verify::make_instance(task, task.sizes.back(), nullptr, 1));
  WW_TRY(const bool needed, verify::needs_expected(timed));
  WW_TRY(const auto instance,
         verify::make_instance(task, task.sizes.back(), variant_for(task, needed), 1));
  WW_TRY(const auto reference, verify::Reference::load(task, {.cache = "reference_cache"}));
  double start = now_s();
  WW_TRY(const auto inputs, verify::generate_inputs(instance));
  const double generating = now_s() - start;
  std::vector<verify::Expected> expected;
  start = now_s();
  if (needed) {
    WW_TRY(expected, reference.run(instance, inputs));
  }
  const double referring = now_s() - start;
  const auto outputs = outputs_from(instance, expected);
  start = now_s();
  WW_TRY(const auto mismatch, verify::check_outputs(instance, inputs, expected, outputs));
  fmt::print("{:<14} {:<22} inputs {:>6.2f} s  reference {:>6.2f} s  check {:>6.2f} s  {}\n", name,
             task.sizes.back().label, generating, referring, now_s() - start,
             mismatch ? "rejected" : "accepted");
  std::fflush(stdout);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> names(argv + 1, argv + argc);
  if (names.empty()) names = suite::embedded_task_names();
  for (const auto& name : names) {
    if (const auto status = measure(name); !status) {
      fmt::print(stderr, "{}: {}\n", name, status.error().message);
      return 1;
    }
  }
  return 0;
}
