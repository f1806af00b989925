// SPDX-License-Identifier: Apache-2.0
// What a recorded process says, in bytes: the recorder writes it, the judge reads it (and believes
// none of it). Numbers are little endian, texts and blocks have their length before them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ww_recorder {

inline constexpr std::uint32_t kWireVersion = 3;

// Messages: one of these bytes, then for plan and verdict a length (u64) and so many bytes.
inline constexpr char kReady = 'R';     // the library is loaded, the call may come
inline constexpr char kReturned = 'D';  // solve has returned
inline constexpr char kPlan = 'P';
inline constexpr char kVerdict = 'V';  // u8 of WireVerdict, u64 place, text

// In place of the number of arguments: the same call again, on the same memory.
inline constexpr std::uint64_t kAgain = ~std::uint64_t{0};

// What an argument of a call is.
inline constexpr std::uint64_t kScalarWord = 0;
inline constexpr std::uint64_t kBufferWord = 1;
inline constexpr std::uint64_t kStreamWord = 2;

enum class WireVerdict : std::uint8_t { host_error, launch_error };
// past: an argument of an earlier call of the same process.
enum class WireBuffer : std::uint8_t { argument, scratch, symbol, past };
enum class WireStep : std::uint8_t { launch, memset, copy, upload, allocate, free };

/// Bytes that grow.
class Wire {
 public:
  Wire& u8(std::uint8_t value) { return raw(&value, sizeof value); }
  Wire& u32(std::uint32_t value) { return raw(&value, sizeof value); }
  Wire& u64(std::uint64_t value) { return raw(&value, sizeof value); }
  Wire& i32(std::int32_t value) { return raw(&value, sizeof value); }
  Wire& block(std::string_view text) { return u64(text.size()).raw(text.data(), text.size()); }
  Wire& raw(const void* data, std::size_t size) {
    bytes.append(static_cast<const char*>(data), size);
    return *this;
  }
  std::string bytes;
};

}  // namespace ww_recorder
