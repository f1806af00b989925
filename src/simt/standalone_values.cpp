// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/files.h"
#include "base/mix.h"
#include "simt/ops/half.h"
#include "simt/standalone.h"

namespace warpwright::simt {
namespace {

struct TypeRow {
  std::string_view name;
  ValueType type;
  std::uint32_t bytes;
};

// The first row of a type gives its name; the others are PTX's words for the same.
constexpr std::array<TypeRow, 20> kTypeRows = {{
    {"u8", ValueType::u8, 1},     {"i8", ValueType::i8, 1},   {"u16", ValueType::u16, 2},
    {"i16", ValueType::i16, 2},   {"u32", ValueType::u32, 4}, {"i32", ValueType::i32, 4},
    {"u64", ValueType::u64, 8},   {"i64", ValueType::i64, 8}, {"f16", ValueType::f16, 2},
    {"bf16", ValueType::bf16, 2}, {"f32", ValueType::f32, 4}, {"f64", ValueType::f64, 8},
    {"s8", ValueType::i8, 1},     {"s16", ValueType::i16, 2}, {"s32", ValueType::i32, 4},
    {"s64", ValueType::i64, 8},   {"b8", ValueType::u8, 1},   {"b16", ValueType::u16, 2},
    {"b32", ValueType::u32, 4},   {"b64", ValueType::u64, 8},
}};

constexpr std::uint64_t kMostElements = std::uint64_t{1} << 28;

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(at);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::uint64_t bits_of_real(ValueType type, double x) {
  switch (type) {
    case ValueType::f16:
      return to_half(x).bits;
    case ValueType::bf16:
      return to_bfloat(x).bits;
    case ValueType::f32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(x));
    case ValueType::f64:
      return std::bit_cast<std::uint64_t>(x);
    default:
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
  }
}

bool is_real(ValueType t) { return t >= ValueType::f16; }

/// A number of the type: 1.5, -3, 0x7f (bits), inf, nan.
Result<std::uint64_t> parse_bits(ValueType type, const std::string& text) {
  char* end = nullptr;
  errno = 0;
  std::uint64_t bits = 0;
  if (text.starts_with("0x"))
    bits = std::strtoull(text.c_str(), &end, 16);
  else if (is_real(type))
    bits = bits_of_real(type, std::strtod(text.c_str(), &end));
  else if (text.starts_with("-"))
    bits = static_cast<std::uint64_t>(std::strtoll(text.c_str(), &end, 10));
  else
    bits = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || end == nullptr || *end != '\0' || (errno == ERANGE && !is_real(type)))
    return Error{fmt::format("\"{}\" is not a value of type {}", text, name_of(type))};
  return bits;
}

Result<double> parse_real(const std::string& text) {
  char* end = nullptr;
  const double x = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') return Error{fmt::format("\"{}\" is not a number", text)};
  return x;
}

/// SplitMix64: the same numbers everywhere.
double random_unit(std::uint64_t& state) {
  return static_cast<double>(mixed_bits(state += kMixStep) >> 11) / 9007199254740992.0;
}

Status fill_content(StandaloneArgument& a, std::uint64_t count, const std::string& content) {
  const std::vector<std::string> parts = split(content, ',');
  const std::uint32_t width = bytes_of(a.type);
  const auto put = [&](std::uint64_t i, std::uint64_t bits) {
    std::memcpy(a.bytes.data() + i * width, &bits, width);
  };
  const std::string& how = parts[0];
  a.written = how != "none";
  a.freed = how == "freed";
  if (how == "zero" || how == "none" || how == "freed") return {};
  if (how == "fill") {
    WW_TRY(const std::uint64_t bits, parse_bits(a.type, parts.size() > 1 ? parts[1] : ""));
    for (std::uint64_t i = 0; i < count; ++i) put(i, bits);
    return {};
  }
  if (how == "iota") {
    WW_TRY(const double first, parse_real(parts.size() > 1 ? parts[1] : "0"));
    WW_TRY(const double step, parse_real(parts.size() > 2 ? parts[2] : "1"));
    for (std::uint64_t i = 0; i < count; ++i)
      put(i, bits_of_real(a.type, first + step * static_cast<double>(i)));
    return {};
  }
  if (how == "random") {
    WW_TRY(const double seed, parse_real(parts.size() > 1 ? parts[1] : "1"));
    auto state = static_cast<std::uint64_t>(seed);
    for (std::uint64_t i = 0; i < count; ++i)
      put(i, bits_of_real(a.type, random_unit(state) * (is_real(a.type) ? 1 : 100)));
    return {};
  }
  if (parts.size() > count)
    return Error{fmt::format("{} values for {} elements", parts.size(), count)};
  for (std::uint64_t i = 0; i < parts.size(); ++i) {
    WW_TRY(const std::uint64_t bits, parse_bits(a.type, parts[i]));
    put(i, bits);
  }
  return {};
}

Result<StandaloneArgument> parse_buffer(std::string_view name, std::string_view text) {
  StandaloneArgument a;
  a.is_buffer = true;
  a.name = std::string(name);
  if (const std::size_t at = text.find('@'); at != std::string_view::npos) {
    if (at > 0) {
      WW_TRY(a.type, value_type_named(text.substr(0, at - 1)));
    }
    WW_TRY(const std::string content,
           read_file(std::string(text.substr(at + 1)), std::size_t{1} << 30));
    const auto* p = reinterpret_cast<const std::byte*>(content.data());
    a.bytes.assign(p, p + content.size());
    return a;
  }
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() < 2 || parts.size() > 3)
    return Error{
        fmt::format("\"buf:{}\" is not buf:TYPE:COUNT[:CONTENT] or buf:[TYPE:]@FILE", text)};
  WW_TRY(a.type, value_type_named(parts[0]));
  WW_TRY(const std::uint64_t count, parse_bits(ValueType::u64, parts[1]));
  if (count > kMostElements) return Error{fmt::format("{} elements are too many", count)};
  a.bytes.resize(count * bytes_of(a.type));
  WW_CHECK(fill_content(a, count, parts.size() > 2 ? parts[2] : "zero"));
  return a;
}

Result<StandaloneArgument> parse_hex(std::string_view text) {
  StandaloneArgument a;
  if (text.empty() || text.size() % 2 != 0) return Error{"hex: needs two digits a byte"};
  for (std::size_t i = 0; i < text.size(); i += 2) {
    WW_TRY(const std::uint64_t byte,
           parse_bits(ValueType::u8, "0x" + std::string(text.substr(i, 2))));
    a.bytes.push_back(static_cast<std::byte>(byte));
  }
  return a;
}

std::string shown(ValueType type, const std::byte* at) {
  const auto read = [&](auto value) {
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  switch (type) {
    case ValueType::u8:
      return fmt::format("{}", read(std::uint8_t{}));
    case ValueType::i8:
      return fmt::format("{}", static_cast<int>(read(std::int8_t{})));
    case ValueType::u16:
      return fmt::format("{}", read(std::uint16_t{}));
    case ValueType::i16:
      return fmt::format("{}", read(std::int16_t{}));
    case ValueType::u32:
      return fmt::format("{}", read(std::uint32_t{}));
    case ValueType::i32:
      return fmt::format("{}", read(std::int32_t{}));
    case ValueType::u64:
      return fmt::format("{}", read(std::uint64_t{}));
    case ValueType::i64:
      return fmt::format("{}", read(std::int64_t{}));
    case ValueType::f16:
      return fmt::format("{:.5g}", to_float(Half{read(std::uint16_t{})}));
    case ValueType::bf16:
      return fmt::format("{:.4g}", to_float(BFloat{read(std::uint16_t{})}));
    case ValueType::f32:
      return fmt::format("{:.9g}", read(float{}));
    case ValueType::f64:
      return fmt::format("{:.17g}", read(double{}));
  }
  return {};
}

}  // namespace

Result<ValueType> value_type_named(std::string_view name) {
  for (const TypeRow& row : kTypeRows)
    if (row.name == name) return row.type;
  return Error{
      fmt::format("unknown type \"{}\": use f16, bf16, f32, f64, i8 to i64 or u8 to u64", name)};
}

std::string_view name_of(ValueType type) {
  for (const TypeRow& row : kTypeRows)
    if (row.type == type) return row.name;
  return "";
}

std::uint32_t bytes_of(ValueType type) {
  for (const TypeRow& row : kTypeRows)
    if (row.type == type) return row.bytes;
  return 1;
}

Result<StandaloneArgument> parse_argument(std::string_view text) {
  std::string_view name;
  if (const std::size_t equals = text.find("=buf:"); equals != std::string_view::npos) {
    name = text.substr(0, equals);
    text.remove_prefix(equals + 1);
  }
  if (text.starts_with("buf:")) return parse_buffer(name, text.substr(4));
  if (text.starts_with("hex:")) return parse_hex(text.substr(4));
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos)
    return Error{
        fmt::format("\"{}\" is not an argument: use TYPE:VALUE (f32:1.5), buf:TYPE:COUNT[:CONTENT] "
                    "(buf:f32:64:iota), buf:@FILE or hex:BYTES",
                    text)};
  WW_TRY(const ValueType type, value_type_named(text.substr(0, colon)));
  WW_TRY(const std::uint64_t bits, parse_bits(type, std::string(text.substr(colon + 1))));
  StandaloneArgument a;
  a.bytes.resize(bytes_of(type));
  std::memcpy(a.bytes.data(), &bits, a.bytes.size());
  return a;
}

Result<std::string> printed_buffer(const StandaloneResult& result, const PrintRequest& request) {
  std::string names;
  for (const StandaloneBuffer& b : result.buffers) {
    names += (names.empty() ? "" : ", ") + b.name;
    if (b.name != request.name) continue;
    const std::uint32_t width = bytes_of(b.type);
    const std::uint64_t all = b.bytes.size() / width;
    const std::uint64_t first = std::min(request.first, all);
    const std::uint64_t end = first + std::min(request.count, all - first);
    std::string text = fmt::format("{}[{}..{}] =", b.name, first, end == first ? first : end - 1);
    for (std::uint64_t i = first; i < end; ++i) text += " " + shown(b.type, &b.bytes[i * width]);
    return text;
  }
  return Error{fmt::format("there is no buffer \"{}\" to print; there are: {}", request.name,
                           names.empty() ? "none" : names)};
}

}  // namespace warpwright::simt
