// SPDX-License-Identifier: Apache-2.0
// The JSON form of a launch plan. Bytes are hexadecimal, addresses are pairs of a buffer and an
// offset.
#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/json_reader.h"
#include "core/launch_plan.h"

namespace warpwright {

namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 3> kKinds = {"argument", "scratch", "symbol"};
constexpr int kVersion = 2;
// Farther from its buffer than any pointer is; JSON readers keep numbers of this size exact.
constexpr std::int64_t kMostOffset = std::int64_t{1} << 52;

std::string hex_of(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

Json json_of(const Dim3& dims) { return Json::array({dims.x, dims.y, dims.z}); }
Json json_of(const PlanAddress& address) { return Json::array({address.buffer, address.offset}); }

Json json_of(const std::vector<AddressUse>& pointers) {
  Json rows = Json::array();
  for (const AddressUse& use : pointers) {
    rows.push_back(Json::array({use.position, use.address.buffer, use.address.offset}));
  }
  return rows;
}

Json json_of(const KernelLaunch& step) {
  return {{"step", "launch"},
          {"kernel", step.kernel},
          {"grid", json_of(step.grid)},
          {"block", json_of(step.block)},
          {"cluster", json_of(step.cluster)},
          {"clustered", step.clustered},
          {"shared_bytes", step.shared_bytes},
          {"cooperative", step.cooperative},
          {"overlaps", step.overlaps},
          {"carveout", step.carveout},
          {"parameters", hex_of(step.parameters)},
          {"parameter_offsets", step.parameter_offsets},
          {"pointers", json_of(step.pointers)}};
}

Json json_of(const Memset& step) {
  return {{"step", "memset"},    {"destination", json_of(step.destination)},
          {"value", step.value}, {"element_bytes", step.element_bytes},
          {"width", step.width}, {"height", step.height},
          {"pitch", step.pitch}};
}

Json json_of(const DeviceCopy& step) {
  return {{"step", "copy"},
          {"destination", json_of(step.destination)},
          {"source", json_of(step.source)},
          {"width_bytes", step.width_bytes},
          {"height", step.height},
          {"destination_pitch", step.destination_pitch},
          {"source_pitch", step.source_pitch}};
}

Json json_of(const Upload& step) {
  return {{"step", "upload"},
          {"destination", json_of(step.destination)},
          {"bytes", hex_of(step.bytes)},
          {"height", step.height},
          {"pitch", step.pitch},
          {"pointers", json_of(step.pointers)}};
}

Json json_of(const Allocate& step) { return {{"step", "allocate"}, {"buffer", step.buffer}}; }
Json json_of(const Free& step) { return {{"step", "free"}, {"buffer", step.buffer}}; }

/// Reads fields of one object and remembers the first that is missing or of the wrong form, so
/// that the code that reads a step stays a list of its fields.
class Reader {
 public:
  explicit Reader(const Json& object) : object_(object) {}

  template <class Unsigned>
  Unsigned number(const char* name) {
    const Json* value = find(name);
    if (value == nullptr) return 0;
    if (!value->is_number_unsigned() ||
        value->get<std::uint64_t>() > std::numeric_limits<Unsigned>::max()) {
      fail(name);
      return 0;
    }
    return static_cast<Unsigned>(value->get<std::uint64_t>());
  }

  double time(const char* name) {
    const Json* value = find(name);
    if (value == nullptr) return 0;
    if (!value->is_number() || !(value->get<double>() >= 0 && value->get<double>() < 1e12)) {
      fail(name);
      return 0;
    }
    return value->get<double>();
  }

  int small_integer(const char* name) {
    const Json* value = find(name);
    if (value == nullptr) return 0;
    if (!value->is_number_integer() || value->get<std::int64_t>() < -1000 ||
        value->get<std::int64_t>() > 1000) {
      fail(name);
      return 0;
    }
    return static_cast<int>(value->get<std::int64_t>());
  }

  bool boolean(const char* name) {
    const Json* value = find(name);
    if (value == nullptr) return false;
    if (!value->is_boolean()) fail(name);
    return value->is_boolean() && value->get<bool>();
  }

  std::string text(const char* name) {
    const Json* value = find(name);
    if (value == nullptr) return {};
    if (!value->is_string()) {
      fail(name);
      return {};
    }
    return value->get<std::string>();
  }

  PlanAddress address(const char* name) {
    const Json* value = find(name);
    PlanAddress result;
    if (value != nullptr && !(value->is_array() && value->size() == 2 && read(*value, 0, result))) {
      fail(name);
    }
    return result;
  }

  std::vector<AddressUse> pointers(const char* name) {
    std::vector<AddressUse> result;
    const Json* value = find(name);
    if (value == nullptr) return result;
    if (!value->is_array()) fail(name);
    for (const auto& row : *value) {
      AddressUse use;
      if (!row.is_array() || row.size() != 3 || !row[0].is_number_unsigned() ||
          !read(row, 1, use.address)) {
        fail(name);
        return result;
      }
      use.position = row[0].get<std::size_t>();
      result.push_back(use);
    }
    return result;
  }

  std::string bytes(const char* name) {
    const std::string digits = text(name);
    std::string result;
    if (digits.size() % 2 != 0) fail(name);
    result.reserve(digits.size() / 2);
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
      const int high = digit_of(digits[i]);
      const int low = digit_of(digits[i + 1]);
      if (high < 0 || low < 0) {
        fail(name);
        return {};
      }
      result += static_cast<char>(high * 16 + low);
    }
    return result;
  }

  std::vector<std::uint32_t> numbers(const char* name) {
    std::vector<std::uint32_t> result;
    const Json* value = find(name);
    if (value == nullptr) return result;
    if (!value->is_array() || value->size() > kMaxParameterBytes) {
      fail(name);
      return result;
    }
    for (const auto& item : *value) {
      if (!item.is_number_unsigned() || item.get<std::uint64_t>() > 0xFFFFFFFFU) {
        fail(name);
        return result;
      }
      result.push_back(item.get<std::uint32_t>());
    }
    return result;
  }

  Dim3 dims(const char* name) {
    const auto values = numbers(name);
    if (values.size() != 3) {
      fail(name);
      return {};
    }
    return {values[0], values[1], values[2]};
  }

  [[nodiscard]] const std::string& failed() const { return failed_; }

 private:
  /// A buffer and an offset, from element `at` of a row.
  static bool read(const Json& row, std::size_t at, PlanAddress& address) {
    const Json &buffer = row[at], &offset = row[at + 1];
    if (!buffer.is_number_unsigned() || buffer.get<std::uint64_t>() >= kMaxPlanBuffers ||
        !offset.is_number_integer()) {
      return false;
    }
    if (offset.is_number_unsigned() && offset.get<std::uint64_t>() > std::uint64_t{kMostOffset}) {
      return false;
    }
    address = {buffer.get<std::uint32_t>(), offset.get<std::int64_t>()};
    return address.offset >= -kMostOffset && address.offset <= kMostOffset;
  }

  const Json* find(const char* name) {
    const auto it = object_.find(name);
    if (it == object_.end()) {
      fail(name);
      return nullptr;
    }
    return &*it;
  }

  void fail(const char* name) {
    if (failed_.empty()) failed_ = name;
  }

  const Json& object_;
  std::string failed_;
};

PlanStep read_launch(Reader& in) {
  KernelLaunch step;
  step.kernel = in.text("kernel");
  step.grid = in.dims("grid");
  step.block = in.dims("block");
  step.cluster = in.dims("cluster");
  step.clustered = in.boolean("clustered");
  step.shared_bytes = in.number<std::uint32_t>("shared_bytes");
  step.cooperative = in.boolean("cooperative");
  step.overlaps = in.boolean("overlaps");
  step.carveout = in.small_integer("carveout");
  step.parameters = in.bytes("parameters");
  step.parameter_offsets = in.numbers("parameter_offsets");
  step.pointers = in.pointers("pointers");
  return step;
}

PlanStep read_memset(Reader& in) {
  Memset step;
  step.destination = in.address("destination");
  step.value = in.number<std::uint32_t>("value");
  step.element_bytes = in.number<std::uint32_t>("element_bytes");
  step.width = in.number<std::uint64_t>("width");
  step.height = in.number<std::uint64_t>("height");
  step.pitch = in.number<std::uint64_t>("pitch");
  return step;
}

PlanStep read_copy(Reader& in) {
  DeviceCopy step;
  step.destination = in.address("destination");
  step.source = in.address("source");
  step.width_bytes = in.number<std::uint64_t>("width_bytes");
  step.height = in.number<std::uint64_t>("height");
  step.destination_pitch = in.number<std::uint64_t>("destination_pitch");
  step.source_pitch = in.number<std::uint64_t>("source_pitch");
  return step;
}

PlanStep read_upload(Reader& in) {
  Upload step;
  step.destination = in.address("destination");
  step.bytes = in.bytes("bytes");
  step.height = in.number<std::uint64_t>("height");
  step.pitch = in.number<std::uint64_t>("pitch");
  step.pointers = in.pointers("pointers");
  return step;
}

PlanStep read_allocate(Reader& in) { return Allocate{in.number<std::uint32_t>("buffer")}; }
PlanStep read_free(Reader& in) { return Free{in.number<std::uint32_t>("buffer")}; }

struct StepForm {
  std::string_view name;
  PlanStep (*read)(Reader&);
};

constexpr std::array<StepForm, 6> kSteps = {{{"launch", read_launch},
                                             {"memset", read_memset},
                                             {"copy", read_copy},
                                             {"upload", read_upload},
                                             {"allocate", read_allocate},
                                             {"free", read_free}}};

Result<PlanStep> step_from(const Json& object, std::size_t index) {
  const std::string where = "launch plan, step " + std::to_string(index) + ": ";
  if (!object.is_object()) return Error{where + "not an object"};
  Reader in(object);
  const std::string name = in.text("step");
  for (const auto& form : kSteps) {
    if (form.name != name) continue;
    PlanStep step = form.read(in);
    if (!in.failed().empty()) return Error{where + "bad field '" + in.failed() + "'"};
    return step;
  }
  return Error{where + "unknown kind of step"};
}

/// Of a step's object; all steps of a plan have one, or none.
Result<StepOrder> order_from(const Json& object, std::size_t index) {
  Reader in(object);
  StepOrder order;
  order.stream = in.number<std::uint32_t>("stream");
  order.after = in.numbers("after");
  if (in.failed().empty()) return order;
  return Error{"launch plan, step " + std::to_string(index) + ": bad field '" + in.failed() + "'"};
}

Result<PlanBuffer> buffer_from(const Json& object, std::size_t index) {
  const std::string where = "launch plan, buffer " + std::to_string(index) + ": ";
  if (!object.is_object()) return Error{where + "not an object"};
  Reader in(object);
  PlanBuffer buffer;
  const std::string kind = in.text("kind");
  buffer.bytes = in.number<std::uint64_t>("bytes");
  std::size_t number = 0;
  while (number < kKinds.size() && kKinds[number] != kind) ++number;
  if (number == kKinds.size()) return Error{where + "unknown kind"};
  buffer.kind = static_cast<BufferKind>(number);
  if (buffer.kind == BufferKind::argument) buffer.argument = in.number<std::uint32_t>("argument");
  if (buffer.kind == BufferKind::symbol) buffer.symbol = in.text("symbol");
  if (!in.failed().empty()) return Error{where + "bad field '" + in.failed() + "'"};
  return buffer;
}

Result<LaunchPlan> plan_from(const Json& root) {
  if (!root.is_object()) return Error{"launch plan: not a JSON object"};
  Reader in(root);
  LaunchPlan plan;
  const auto version = in.number<std::uint32_t>("version");
  plan.stack_bytes = in.number<std::uint64_t>("stack_bytes");
  plan.heap_bytes = in.number<std::uint64_t>("heap_bytes");
  plan.host_us = in.time("host_us");
  if (!in.failed().empty()) return Error{"launch plan: bad field '" + in.failed() + "'"};
  if (version != kVersion) return Error{"launch plan: unknown version " + std::to_string(version)};
  const auto buffers = root.find("buffers");
  const auto steps = root.find("steps");
  if (buffers == root.end() || !buffers->is_array() || buffers->size() > kMaxPlanBuffers) {
    return Error{"launch plan: bad field 'buffers'"};
  }
  if (steps == root.end() || !steps->is_array() || steps->size() > kMaxPlanSteps) {
    return Error{"launch plan: bad field 'steps'"};
  }
  for (const auto& item : *buffers) {
    WW_TRY(PlanBuffer buffer, buffer_from(item, plan.buffers.size()));
    plan.buffers.push_back(std::move(buffer));
  }
  const bool ordered =
      !steps->empty() && steps->front().is_object() && steps->front().contains("stream");
  for (const auto& item : *steps) {
    WW_TRY(PlanStep step, step_from(item, plan.steps.size()));
    if (ordered != item.contains("stream")) return Error{"launch plan: streams of some steps only"};
    if (ordered) {
      WW_TRY(StepOrder order, order_from(item, plan.steps.size()));
      plan.order.push_back(std::move(order));
    }
    plan.steps.push_back(std::move(step));
  }
  return plan;
}

}  // namespace

std::string plan_to_text(const LaunchPlan& plan) {
  Json buffers = Json::array();
  for (const auto& buffer : plan.buffers) {
    Json object = {{"kind", kKinds[static_cast<std::size_t>(buffer.kind)]},
                   {"bytes", buffer.bytes}};
    if (buffer.kind == BufferKind::argument) object["argument"] = buffer.argument;
    if (buffer.kind == BufferKind::symbol) object["symbol"] = buffer.symbol;
    buffers.push_back(std::move(object));
  }
  Json steps = Json::array();
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    Json object = std::visit([](const auto& form) { return json_of(form); }, plan.steps[i]);
    if (i < plan.order.size()) {
      object["stream"] = plan.order[i].stream;
      object["after"] = plan.order[i].after;
    }
    steps.push_back(std::move(object));
  }
  const Json root = {{"version", kVersion},           {"stack_bytes", plan.stack_bytes},
                     {"heap_bytes", plan.heap_bytes}, {"host_us", plan.host_us},
                     {"buffers", std::move(buffers)}, {"steps", std::move(steps)}};
  return dump_json(root);
}

Result<LaunchPlan> plan_from_text(std::string_view text) {
  if (text.size() > kMaxPlanTextBytes) return Error{"launch plan: text too large"};
  const Json root = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (root.is_discarded()) return Error{"launch plan: not JSON"};
  WW_TRY(LaunchPlan plan, plan_from(root));
  WW_CHECK(check_plan(plan));
  return plan;
}

}  // namespace warpwright
