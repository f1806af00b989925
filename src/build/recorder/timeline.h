// SPDX-License-Identifier: Apache-2.0
// Which steps wait for which: streams, events, the host, captures. A clock says, track by track,
// how far everything is known to be over; tracks are what the plan calls streams.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ww_recorder {

inline constexpr std::size_t kMaxTracks = 64;
inline constexpr std::uint32_t kHostTrack = 0;

/// By track: the number of its last step that is over, plus one. Missing ones are 0.
using Clock = std::vector<std::uint32_t>;

void join(Clock& clock, const Clock& other);

struct Step {
  std::uint32_t track = 0;
  std::vector<std::uint32_t> after;
  std::string bytes;
};

/// Steps in the order in which they were asked for, and what each waits for: a plan, or a capture.
class Timeline {
 public:
  /// Adds a step behind everything that `need` says; `need` then includes it.
  void add(std::uint32_t track, Clock& need, std::string bytes);
  std::uint32_t new_track() { return tracks_++; }
  std::uint32_t tracks() const { return tracks_; }
  const std::vector<Step>& steps() const { return steps_; }

 private:
  std::vector<Step> steps_;
  std::uint32_t tracks_ = 1;
  std::vector<Clock> ends_;  ///< by track: what the end of its last step implies
};

struct Capture;

struct Stream {
  bool blocking = true;  ///< waits for the default stream and the other way round
  bool live = true;
  int priority = 0;
  unsigned flags = 0;
  std::uint32_t track = 0;  ///< 0 = no step yet
  Clock known;              ///< what its next step waits for
  bool behind_caller =
      false;  ///< its next step waits for what its caller asked for before the call
  // While it takes part in a capture:
  Capture* capture = nullptr;
  std::uint32_t captured_track = 0;
  Clock captured;
};

struct Event {
  bool live = true;
  Clock at;
  bool behind_caller = false;
  Capture* capture = nullptr;
};

/// Between begin and end of a capture; then the graph.
struct Capture {
  Timeline timeline;
  std::vector<Stream*> streams;
  bool open = true;
};

/// All streams and events of a process, and what they do to the plan's order.
class Streams {
 public:
  Streams();
  Stream& default_stream() { return *streams_[0]; }
  Stream& per_thread() { return *streams_[1]; }
  Stream& create(unsigned flags, int priority);
  Event& create_event();
  /// A stream of the caller's, another one for each call. It does not wait for the default stream.
  Stream& new_caller();
  const Stream* caller() const { return caller_; }
  /// What waited for the caller's stream in the call before does not in this one.
  void begin_call();
  /// What is wrong with the steps since `first` where the caller has given a stream: work that does
  /// not wait for it, or that it does not wait for. Null: nothing.
  const char* objection(std::size_t first) const;
  Stream* find(const void* handle);
  Event* find_event(const void* handle);
  Capture* find_capture(const void* handle);

  void queue(Stream& stream, std::string bytes);
  /// What the host does itself: memory that is there at once, or a free that waits for all.
  void queue_of_host(bool waits_for_all, std::string bytes);
  void record(Event& event, Stream& stream);
  void wait(Stream& stream, const Event& event);
  void host_waits_for(Stream& stream);
  void host_waits_for(const Event& event);
  void host_waits_for_all();

  /// False where there is nothing to begin, to end or to launch.
  bool begin_capture(Stream& stream);
  Capture* end_capture(Stream& stream);
  void launch(const Capture& graph, Stream& stream);
  /// One that is filled by hand.
  Capture& add_graph();
  bool capturing() const { return open_captures_ > 0; }

  const Timeline& timeline() const { return timeline_; }

 private:
  Clock need_of(Stream& stream);
  void action_on_default();
  std::uint32_t track_of(Stream& stream);
  void take_part(Stream& stream, Capture& capture);

  Timeline timeline_;
  void note_order(const Stream& stream);

  Stream* caller_ = nullptr;
  bool host_behind_caller_ = false;
  bool unforked_ = false;  ///< some step does not wait for the caller's stream
  Clock host_;  ///< what the host has waited for: all that it asks for later comes behind
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<std::unique_ptr<Event>> events_;
  std::vector<std::unique_ptr<Capture>> captures_;
  /// Branches of graphs run beside the stream that they are launched in.
  std::map<std::pair<Stream*, std::uint32_t>, std::unique_ptr<Stream>> branches_;
  int open_captures_ = 0;
};

}  // namespace ww_recorder
