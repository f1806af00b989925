// SPDX-License-Identifier: Apache-2.0
#include "verify/reference.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "base/files.h"
#include "base/process.h"
#include "base/sha256.h"
#include "base/text.h"
#include "verify/device_reference.h"
#include "verify/guarded_call.h"

namespace warpwright::verify {

namespace {

constexpr const char* kEntry = "warpwright_call_reference";

// What the reference calls the type: halves arrive as floats, 64-bit integers are long long.
std::string_view input_type(ElementType type) { return is_half(type) ? "float" : cuda_name(type); }
std::string_view native_output_type(ElementType type) {
  return is_half(type) ? "unsigned short" : cuda_name(type);
}

const CheckRuleRow& row_of(const Task& task, const TaskArgument& output) {
  const auto row = check_rule_named(check_for(task, nullptr, output).rule);
  ASSERT(row.ok(), "a validated task has a known rule");
  return *row.value();
}

// The user's text and, behind it, a call through an array of pointers. One translation unit, so
// that a wrong parameter list is a compile error.
std::string source_with_glue(const Task& task) {
  std::string call;
  std::size_t i = 0;
  for (const auto& parameter : reference_parameters(task)) {
    const bool pointer = parameter.type.back() == '*';
    call += fmt::format("{}{}", i == 0 ? "" : ",\n      ",
                        pointer ? fmt::format("static_cast<{}>(p[{}])", parameter.type, i)
                                : fmt::format("*static_cast<const {}*>(p[{}])", parameter.type, i));
    ++i;
  }
  return fmt::format(
      "#line 1 \"reference.cpp\"\n{}\n#line 1 \"call of {}\"\nextern \"C\" void {}(void* const* p) "
      "{{\n  reference({});\n}}\n",
      task.reference_source, reference_signature(task), kEntry, call);
}

Status compile(const Task& task, const Reference::Options& options, const std::string& source,
               const std::filesystem::path& target) {
  WW_CHECK(make_directories(options.cache));
  WW_TRY(const auto compiler, find_program(options.compiler));
  WW_TRY(const auto scratch, TemporaryDirectory::create("warpwright-reference"));
  WW_CHECK(write_file(scratch.path() / "glued.cpp", source));
  // Compiled beside the target and renamed, so that two processes never load a half-written file.
  const auto partial = target.string() + "." + scratch.path().filename().string();
  Command command;
  command.argv = {compiler.string(), "-std=c++20", "-shared", "-fPIC", "-fno-fast-math"};
  command.argv.insert(command.argv.end(), options.flags.begin(), options.flags.end());
  command.argv.insert(command.argv.end(), {"-o", partial, (scratch.path() / "glued.cpp").string()});
  command.env = minimal_environment();
  command.limits.wall = std::chrono::minutes(2);
  WW_TRY(const auto exit, run_process(command));
  if (!exit.succeeded()) {
    return Error{fmt::format(
        "compiling reference.cpp of the task '{}' with {}: {}\n{}\nIt must define: {}", task.name,
        compiler.string(), exit.describe(), shortened(exit.err, 4000), reference_signature(task))};
  }
  std::error_code code;
  std::filesystem::rename(partial, target, code);
  if (code)
    return Error{
        fmt::format("keeping the compiled reference as {}: {}", target.string(), code.message())};
  return {};
}

/// Owns what the pointers of one call point to.
struct CallFrame {
  std::vector<void*> pointers;
  std::vector<std::vector<float>> floats;
  std::vector<std::array<std::byte, 8>> scalars;
};

template <class T>
void put_scalar(CallFrame& frame, double value) {
  const T typed = static_cast<T>(value);
  std::memcpy(frame.scalars.emplace_back().data(), &typed, sizeof typed);
  frame.pointers.push_back(frame.scalars.back().data());
}

void add_scalar(CallFrame& frame, ElementType type, double value) {
  switch (type) {
    case ElementType::f64:
      return put_scalar<double>(frame, value);
    case ElementType::f32:
    case ElementType::f16:
    case ElementType::bf16:
      return put_scalar<float>(frame, value);
    case ElementType::i64:
      return put_scalar<std::int64_t>(frame, value);
    case ElementType::i32:
      return put_scalar<std::int32_t>(frame, value);
    case ElementType::u32:
      return put_scalar<std::uint32_t>(frame, value);
    case ElementType::u8:
      return put_scalar<std::uint8_t>(frame, value);
    case ElementType::i8:
      return put_scalar<std::int8_t>(frame, value);
  }
}

/// All values of a half: caches of keys and values have hundreds of millions of them.
const std::vector<float>& half_values(ElementType type) {
  const auto table = [](float (*value)(std::uint16_t)) {
    std::vector<float> values(1 << 16);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = value(static_cast<std::uint16_t>(i));
    return values;
  };
  static const std::vector<float> f16 = table(from_half_bits);
  static const std::vector<float> bf16 = table(from_bfloat_bits);
  return type == ElementType::f16 ? f16 : bf16;
}

void add_input(CallFrame& frame, ElementType type, const Bytes& bytes) {
  if (!is_half(type)) {
    frame.pointers.push_back(const_cast<std::byte*>(bytes.data()));
    return;
  }
  auto& values = frame.floats.emplace_back(bytes.size() / 2);
  const std::vector<float>& table = half_values(type);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint16_t bits;
    std::memcpy(&bits, bytes.data() + 2 * i, sizeof bits);
    values[i] = table[bits];
  }
  frame.pointers.push_back(values.data());
}

void add_output(CallFrame& frame, const Task& task, const TaskArgument& argument,
                std::uint64_t count, Expected& expected) {
  if (!compares_doubles(task, argument)) {
    expected.native.assign(count * bytes_of(argument.type), std::byte{0});
    frame.pointers.push_back(expected.native.data());
    return;
  }
  expected.wide.assign(count, 0.0);
  frame.pointers.push_back(expected.wide.data());
  if (!row_of(task, argument).wants_scale) return;
  expected.scale.resize(count);
  frame.pointers.push_back(expected.scale.data());
}

}  // namespace

bool compares_doubles(const Task& task, const TaskArgument& output) {
  const CheckRuleRow& row = row_of(task, output);
  return row.wide && (is_floating(output.type) || row.name == kRoundedRule);
}

std::vector<ReferenceParameter> reference_parameters(const Task& task) {
  using Kind = ReferenceParameter::Kind;
  std::vector<ReferenceParameter> list;
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    const auto& argument = task.arguments[i];
    if (argument.role == ArgumentRole::scalar) {
      list.push_back({Kind::scalar, i, std::string(input_type(argument.type)), argument.name});
      continue;
    }
    if (argument.role != ArgumentRole::output) {
      const auto suffix = argument.role == ArgumentRole::inout ? "_in" : "";
      list.push_back({Kind::input, i, fmt::format("const {}*", input_type(argument.type)),
                      argument.name + suffix});
    }
    if (argument.role == ArgumentRole::input) continue;
    const bool wide = compares_doubles(task, argument);
    const auto type = wide ? std::string_view("double") : native_output_type(argument.type);
    list.push_back({wide ? Kind::wide : Kind::native, i, fmt::format("{}*", type), argument.name});
    if (wide && row_of(task, argument).wants_scale)
      list.push_back({Kind::scale, i, "double*", argument.name + "_scale"});
  }
  return list;
}

std::string reference_signature(const Task& task) {
  std::vector<std::string> parts;
  for (const auto& parameter : reference_parameters(task))
    parts.push_back(parameter.type + " " + parameter.name);
  return fmt::format("void reference({})", fmt::join(parts, ", "));
}

Result<Reference> Reference::load(const Task& task, const Options& options) {
  if (task.reference_source.empty())
    return Error{
        fmt::format("the task '{}' has no reference.cpp, its baseline's outputs are the expected "
                    "ones; to have one, write a reference.cpp in its folder that defines: {}",
                    task.name, reference_signature(task))};
  const auto source = source_with_glue(task);
  const auto key = sha256_hex(
      fmt::format("{}\n{}\n{}", options.compiler, fmt::join(options.flags, " "), source));
  const auto target =
      absolute_path(options.cache / fmt::format("{}-{}.so", task.name, key.substr(0, 16)));
  std::error_code ignored;
  if (!std::filesystem::exists(target, ignored)) WW_CHECK(compile(task, options, source, target));
  void* library = dlopen(target.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return Error{fmt::format("loading the reference of '{}': {}; remove {} and try again",
                             task.name, dlerror(), target.string())};
  void* entry = dlsym(library, kEntry);
  if (entry == nullptr) {
    dlclose(library);
    return Error{
        fmt::format("the compiled reference {} lacks its entry point; remove it and try again",
                    target.string())};
  }
  return Reference(library, entry);
}

Reference::Reference(Reference&& other) noexcept : library_(other.library_), entry_(other.entry_) {
  other.library_ = nullptr;
}

Reference::~Reference() {
  if (library_ != nullptr) dlclose(library_);
}

Result<std::vector<Expected>> Reference::run(const Instance& instance,
                                             std::span<const Bytes> inputs,
                                             DeviceTurn* /*turn*/) const {
  const auto& task = *instance.task;
  ASSERT(inputs.size() == task.arguments.size(), "one entry per argument");
  std::vector<Expected> expected(task.arguments.size());
  CallFrame frame;
  frame.scalars.reserve(task.arguments.size());  // their addresses are taken
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    const auto& argument = task.arguments[i];
    if (argument.role == ArgumentRole::scalar) {
      WW_TRY(const double value, scalar_value(argument, instance.values));
      add_scalar(frame, argument.type, value);
      continue;
    }
    if (argument.role != ArgumentRole::output) add_input(frame, argument.type, inputs[i]);
    if (argument.role == ArgumentRole::input) continue;
    WW_TRY(const auto count, element_count(argument, instance.values));
    add_output(frame, task, argument, count, expected[i]);
  }
  const auto entry = reinterpret_cast<void (*)(void* const*)>(entry_);
  if (const auto called = call_guarded([&] { entry(frame.pointers.data()); }); !called.ok()) {
    return Error{fmt::format("reference.cpp of the task '{}' failed at size {}: {}; mend it first",
                             task.name, instance.size->label, called.error().message)};
  }
  return expected;
}

Result<std::vector<Expected>> expected_from_outputs(const Instance& instance,
                                                    std::span<const Bytes> outputs) {
  const auto& task = *instance.task;
  if (outputs.size() != task.arguments.size()) return Error{"expected one buffer per argument"};
  std::vector<Expected> expected(task.arguments.size());
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    const auto& argument = task.arguments[i];
    if (argument.role != ArgumentRole::output && argument.role != ArgumentRole::inout) continue;
    if (!compares_doubles(task, argument)) {
      expected[i].native = outputs[i];
      continue;
    }
    const std::size_t count = outputs[i].size() / bytes_of(argument.type);
    for (std::size_t k = 0; k < count; ++k)
      expected[i].wide.push_back(element_as_double(argument.type, outputs[i], k));
  }
  return expected;
}

namespace {

template <class T>
T load_as(std::span<const std::byte> buffer, std::size_t i) {
  T value;
  std::memcpy(&value, buffer.data() + i * sizeof(T), sizeof(T));
  return value;
}

}  // namespace

double element_as_double(ElementType type, std::span<const std::byte> buffer, std::size_t i) {
  switch (type) {
    case ElementType::f32:
      return load_as<float>(buffer, i);
    case ElementType::f64:
      return load_as<double>(buffer, i);
    case ElementType::f16:
      return from_half_bits(load_as<std::uint16_t>(buffer, i));
    case ElementType::bf16:
      return from_bfloat_bits(load_as<std::uint16_t>(buffer, i));
    case ElementType::i32:
      return load_as<std::int32_t>(buffer, i);
    case ElementType::u32:
      return load_as<std::uint32_t>(buffer, i);
    case ElementType::i64:
      return static_cast<double>(load_as<std::int64_t>(buffer, i));
    case ElementType::u8:
      return load_as<std::uint8_t>(buffer, i);
    case ElementType::i8:
      return load_as<std::int8_t>(buffer, i);
  }
  return 0;
}

}  // namespace warpwright::verify
