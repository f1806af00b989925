// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "recorder.h"

namespace ww_recorder {

namespace {

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(state().out_fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) ::_exit(3);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Where in the candidate's library the caller sits, for a line number.
std::string place_of(const void* caller) {
  Dl_info where{};
  if (caller == nullptr || ::dladdr(caller, &where) == 0 || where.dli_fbase == nullptr) return "0";
  return std::to_string(reinterpret_cast<std::uintptr_t>(caller) -
                        reinterpret_cast<std::uintptr_t>(where.dli_fbase));
}

template <class Items>
std::string joined(const Items& items) {
  std::string text;
  for (const auto& item : items) {
    if (!text.empty()) text += ',';
    text += item;
  }
  return text;
}

}  // namespace

State& state() {
  // Never destroyed: static destructors of the candidate may still call the API.
  static State* const instance = new State;
  return *instance;
}

long long fact(std::string_view name) {
  const auto it = state().facts.find(name);
  return it == state().facts.end() ? 0 : it->second;
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else {
      result += byte < 0x20 || byte > 0x7E ? '?' : c;
    }
  }
  return result + '"';
}

std::string hex(const void* data, std::size_t size) {
  static const char kDigits[] = "0123456789abcdef";
  std::string text(size * 2, '0');
  for (std::size_t i = 0; i < size; ++i) {
    const unsigned char byte = static_cast<const unsigned char*>(data)[i];
    text[2 * i] = kDigits[byte >> 4];
    text[2 * i + 1] = kDigits[byte & 15];
  }
  return text;
}

std::string address_text(const void* pointer) {
  char text[24];
  std::snprintf(text, sizeof text, "\"0x%llx\"",
                static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(pointer)));
  return text;
}

void give_up(const char* verdict, const std::string& message, const void* caller) {
  write_all("{\"call\":" + std::to_string(state().call) + ",\"verdict\":" + quoted(verdict) +
            ",\"message\":" + quoted(message) + ",\"place\":" + place_of(caller) + "}\n");
  ::_exit(kGaveUp);
}

void unsupported(const char* api, const char* why, const void* caller) {
  give_up("host_error", std::string(api) + ": " + why, caller);
}

void report_plan() {
  State& s = state();
  std::vector<std::string> buffers;
  for (const auto& buffer : s.buffers) {
    buffers.push_back("{" + buffer.json + ",\"bytes\":" + std::to_string(buffer.bytes) + "}");
  }
  write_all("{\"call\":" + std::to_string(s.call) + ",\"verdict\":\"ok\",\"plan\":{\"version\":1" +
            ",\"stack_bytes\":" + std::to_string(s.stack_bytes) +
            ",\"heap_bytes\":" + std::to_string(s.heap_bytes) + ",\"buffers\":[" + joined(buffers) +
            "],\"steps\":[" + joined(s.steps) + "]}}\n");
}

cudaError_t failed(cudaError_t error) {
  if (error != cudaSuccess) state().last_error = error;
  return error;
}

void add_step(std::string json) {
  State& s = state();
  s.text_bytes += json.size();
  if (s.steps.size() + s.captured.size() >= kMaxSteps || s.text_bytes > kMaxText) {
    give_up("host_error", "solve records too many launches and copies", nullptr);
  }
  (s.capturing ? s.captured : s.steps).push_back(std::move(json));
}

int add_buffer(std::string json, std::uint64_t bytes, bool scratch) {
  State& s = state();
  if (s.buffers.size() >= kMaxBuffers) {
    give_up("host_error", "more than 4096 device allocations in one call of solve", nullptr);
  }
  s.buffers.push_back({std::move(json), bytes, true, scratch});
  return static_cast<int>(s.buffers.size()) - 1;
}

bool is_device(const void* pointer) {
  const auto word = reinterpret_cast<std::uintptr_t>(pointer);
  return (word & kTagMask) == kTag && ((word >> 40) & kIdMask) < state().buffers.size();
}

std::uint64_t address_of_buffer(int buffer) {
  return kTag | (static_cast<std::uint64_t>(buffer) << 40) | kBias;
}

int buffer_at(const void* pointer, std::uint64_t bytes, const char* api, const void* caller) {
  if (!is_device(pointer)) {
    unsupported(api, "the pointer is not one to device memory", caller);
  }
  const auto word = reinterpret_cast<std::uintptr_t>(pointer);
  const int index = static_cast<int>((word >> 40) & kIdMask);
  const Buffer& buffer = state().buffers[static_cast<std::size_t>(index)];
  if (!buffer.live) unsupported(api, "the device memory was freed before", caller);
  const auto offset =
      static_cast<long long>(word & ((std::uint64_t{1} << 40) - 1)) - static_cast<long long>(kBias);
  if (offset < 0 || static_cast<std::uint64_t>(offset) > buffer.bytes ||
      bytes > buffer.bytes - static_cast<std::uint64_t>(offset)) {
    char text[160];
    std::snprintf(text, sizeof text,
                  "%llu bytes at offset %lld leave the device buffer of %llu bytes",
                  static_cast<unsigned long long>(bytes), offset,
                  static_cast<unsigned long long>(buffer.bytes));
    unsupported(api, text, caller);
  }
  return index;
}

}  // namespace ww_recorder
