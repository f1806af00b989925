// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
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
std::uint64_t place_of(const void* caller) {
  Dl_info where{};
  if (caller == nullptr || ::dladdr(caller, &where) == 0 || where.dli_fbase == nullptr) return 0;
  return reinterpret_cast<std::uintptr_t>(caller) -
         reinterpret_cast<std::uintptr_t>(where.dli_fbase);
}

void check_room() {
  const State& s = state();
  const Timeline& timeline = s.streams.timeline();
  if (timeline.steps().size() - s.first_step >= kMaxSteps || s.written > kMaxBytes) {
    give_up(WireVerdict::host_error, "solve records too many launches and copies", nullptr);
  }
  if (timeline.tracks() - s.first_track > kMaxTracks) {
    give_up(WireVerdict::host_error, "solve uses more than 60 streams", nullptr);
  }
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

void say(char message) { write_all({&message, 1}); }

void say(char message, std::string_view bytes) {
  Wire wire;
  wire.raw(&message, 1).u64(bytes.size());
  write_all(wire.bytes);
  write_all(bytes);
}

void give_up(WireVerdict verdict, const std::string& message, const void* caller) {
  Wire wire;
  wire.u8(static_cast<std::uint8_t>(verdict)).u64(place_of(caller)).block(message);
  say(kVerdict, wire.bytes);
  ::_exit(kGaveUp);
}

void unsupported(const char* api, const char* why, const void* caller) {
  give_up(WireVerdict::host_error, std::string(api) + ": " + why, caller);
}

void begin_call(bool same_arguments) {
  State& s = state();
  for (Buffer& buffer : s.buffers) {
    if (same_arguments || buffer.kind != WireBuffer::argument) continue;
    buffer.past = true;
    buffer.live = false;
  }
  s.streams.begin_call();
  s.first_step = s.streams.timeline().steps().size();
  s.first_buffer = s.buffers.size();
  s.first_track = s.streams.timeline().tracks();
  s.allocated = 0;
  s.written = 0;
}

void report_plan() {
  const State& s = state();
  Wire wire;
  wire.u32(kWireVersion).u64(s.stack_bytes).u64(s.heap_bytes);
  wire.u32(static_cast<std::uint32_t>(s.buffers.size()));
  for (const Buffer& buffer : s.buffers) {
    const WireBuffer kind = buffer.past ? WireBuffer::past : buffer.kind;
    wire.u8(static_cast<std::uint8_t>(kind)).u32(buffer.argument).block(buffer.symbol);
    wire.u64(buffer.bytes);
  }
  const auto& steps = s.streams.timeline().steps();
  wire.u32(static_cast<std::uint32_t>(steps.size() - s.first_step));
  std::map<std::uint32_t, std::uint32_t> tracks = {{kHostTrack, kHostTrack}};
  for (std::size_t i = s.first_step; i < steps.size(); ++i) {
    const auto track = tracks.emplace(steps[i].track, tracks.size()).first->second;
    std::vector<std::uint32_t> after;
    for (const std::uint32_t earlier : steps[i].after) {
      if (earlier >= s.first_step) {
        after.push_back(earlier - static_cast<std::uint32_t>(s.first_step));
      }
    }
    wire.u32(track).u32(static_cast<std::uint32_t>(after.size()));
    wire.raw(after.data(), after.size() * sizeof(std::uint32_t));
    wire.raw(steps[i].bytes.data(), steps[i].bytes.size());
  }
  say(kPlan, wire.bytes);
}

cudaError_t failed(cudaError_t error) {
  if (error != cudaSuccess) state().last_error = error;
  return error;
}

Stream& stream_of(cudaStream_t handle, const char* api, const void* caller) {
  Stream* stream = state().streams.find(handle);
  if (stream == nullptr) unsupported(api, "there is no such stream", caller);
  if (stream == &state().streams.default_stream() && state().streams.capturing()) {
    unsupported(api, "uses the default stream while another one is captured", caller);
  }
  return *stream;
}

void add_step(Stream& stream, const Wire& step) {
  state().written += step.bytes.size();
  state().streams.queue(stream, step.bytes);
  check_room();
}

int add_buffer(Buffer buffer) {
  State& s = state();
  if (s.buffers.size() - s.first_buffer >= kMaxBuffers) {
    give_up(WireVerdict::host_error, "more than 4096 device allocations in one call of solve",
            nullptr);
  }
  buffer.address = s.space->place(buffer.bytes);
  s.buffers.push_back(std::move(buffer));
  const int index = static_cast<int>(s.buffers.size()) - 1;
  s.places[s.buffers.back().address] = index;
  return index;
}

bool is_device(const void* pointer) {
  return state().space->holds(reinterpret_cast<std::uintptr_t>(pointer));
}

int buffer_at(const void* pointer, std::uint64_t bytes, const char* api, const void* caller) {
  const State& s = state();
  const auto word = reinterpret_cast<std::uintptr_t>(pointer);
  const auto above = s.places.upper_bound(word);
  if (!is_device(pointer) || above == s.places.begin()) {
    unsupported(api, "the pointer is not one to device memory", caller);
  }
  const int index = std::prev(above)->second;
  const Buffer& buffer = s.buffers[static_cast<std::size_t>(index)];
  const std::uint64_t offset = word - buffer.address;
  if (offset > buffer.bytes || bytes > buffer.bytes - offset) {
    char text[160];
    std::snprintf(text, sizeof text,
                  "%llu bytes at offset %llu leave the device buffer of %llu bytes",
                  static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(offset),
                  static_cast<unsigned long long>(buffer.bytes));
    unsupported(api, text, caller);
  }
  if (!buffer.live) unsupported(api, "the device memory was freed before", caller);
  return index;
}

}  // namespace ww_recorder
