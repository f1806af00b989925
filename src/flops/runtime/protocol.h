// SPDX-License-Identifier: Apache-2.0
// What a program and the machine that stands in for its GPU say to each other, over two pipes. The
// program asks, the machine answers each question once. Numbers are little endian; texts have their
// length before them (u32). The machine believes nothing of it.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace ww_flops {

/// Device memory lies at the same addresses in the program and in kernels.
inline constexpr std::uint64_t kArenaBase = 0x7f52a0000000;
/// How a program ends whose address space has something else there; another try may have luck.
inline constexpr int kNoRoom = 117;
/// How a program ends that made a call which is not there; a note said which.
inline constexpr int kMissing = 118;

/// Names in the folder that the environment variable tells.
inline constexpr const char* kFolderVariable = "WARPWRIGHT_DEVICE";
inline constexpr const char* kAskName = "ask";
inline constexpr const char* kAnswerName = "answer";
inline constexpr const char* kMemoryName = "memory";

enum class Ask : std::uint32_t {
  hello = 1,  // -> u64 bytes of the arena, text: "NAME NUMBER" lines of facts, device NAME
  allocate,   // u64 bytes, u32 whether the host reaches it, too -> u64 address
  release,    // u64 address
  kernel,     // u32 module, text name -> u32 max threads, registers, static shared, local,
              //    parameter bytes, parameters, then offset and size of each
  launch,     // u32 module, text name, u32 x 6 grid and block, u32 shared, u32 cooperative,
              //    text parameters
  variable,   // u32 module, text name -> u64 address, u64 bytes
  missing,    // text: a call, a file or a device that is not there
  available,  // -> u64 bytes that are free
  copied,     // u64 to, u64 from (0: the host's memory), u64 bytes
  filled,     // u64 address, u64 bytes: all of them have a value now
};

/// Any module: the one that has the name.
inline constexpr std::uint32_t kAnyModule = ~std::uint32_t{0};

struct AskHead {
  std::uint32_t kind = 0;
  std::uint32_t bytes = 0;
};
struct AnswerHead {
  std::int32_t error = 0;  ///< a cudaError_t
  std::uint32_t bytes = 0;
};
inline constexpr std::uint32_t kMostBytes = 1U << 16;

/// Bytes that grow.
class Packer {
 public:
  Packer& u32(std::uint32_t value) { return raw(&value, sizeof value); }
  Packer& u64(std::uint64_t value) { return raw(&value, sizeof value); }
  Packer& text(std::string_view value) {
    u32(static_cast<std::uint32_t>(value.size()));
    return raw(value.data(), value.size());
  }
  Packer& raw(const void* data, std::size_t size) {
    bytes.append(static_cast<const char*>(data), size);
    return *this;
  }
  std::string bytes;
};

/// Takes them apart again; past the end everything is zero and ok() is false.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}
  std::uint32_t u32() { return number<std::uint32_t>(); }
  std::uint64_t u64() { return number<std::uint64_t>(); }
  std::string_view text() {
    const std::uint32_t size = u32();
    if (size > rest_.size()) {
      ok_ = false;
      return {};
    }
    const std::string_view value = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return value;
  }
  bool ok() const { return ok_; }

 private:
  template <class T>
  T number() {
    T value{};
    if (rest_.size() < sizeof value) {
      ok_ = false;
      return value;
    }
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace ww_flops
