// SPDX-License-Identifier: Apache-2.0
#include "timeline.h"

#include <algorithm>

namespace ww_recorder {

void join(Clock& clock, const Clock& other) {
  if (clock.size() < other.size()) clock.resize(other.size(), 0);
  for (std::size_t i = 0; i < other.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

void Timeline::add(std::uint32_t track, Clock& need, std::string bytes) {
  if (ends_.size() <= track) ends_.resize(track + 1);
  Clock& end = ends_[track];
  Step step{track, {}, std::move(bytes)};
  for (std::uint32_t other = 0; other < need.size(); ++other) {
    const std::uint32_t implied = other < end.size() ? end[other] : 0;
    if (other != track && need[other] > implied) step.after.push_back(need[other] - 1);
  }
  std::sort(step.after.begin(), step.after.end());
  join(end, need);
  if (end.size() <= track) end.resize(track + 1, 0);
  end[track] = static_cast<std::uint32_t>(steps_.size()) + 1;
  need = end;
  steps_.push_back(std::move(step));
}

Streams::Streams() {
  create(0, 0);  // the default stream
  create(0, 0);  // the one per thread: like any stream that somebody makes
}

Stream& Streams::create(unsigned flags, int priority) {
  streams_.push_back(std::make_unique<Stream>());
  Stream& stream = *streams_.back();
  stream.blocking = (flags & 1) == 0;
  stream.flags = flags;
  stream.priority = priority;
  return stream;
}

Stream& Streams::new_caller() {
  caller_ = &create(1, 0);
  begin_call();
  return *caller_;
}

void Streams::begin_call() {
  if (caller_ == nullptr) return;
  host_waits_for_all();  // what earlier calls left open is theirs
  for (const auto& stream : streams_) stream->behind_caller = stream.get() == caller_;
  for (const auto& event : events_) event->behind_caller = false;
  host_behind_caller_ = false;
  unforked_ = false;
}

void Streams::note_order(const Stream& stream) {
  if (caller_ != nullptr && !stream.behind_caller && !host_behind_caller_) unforked_ = true;
}

const char* Streams::objection(std::size_t first) const {
  if (caller_ == nullptr) return nullptr;
  if (unforked_) {
    return "work on another stream than the caller's does not wait for it: launch on `stream`, or "
           "let "
           "the other stream wait for an event of it";
  }
  Clock end = caller_->known;
  join(end, host_);
  const auto& steps = timeline_.steps();
  for (std::size_t i = first; i < steps.size(); ++i) {
    const std::uint32_t track = steps[i].track;
    if (track == kHostTrack) continue;
    if (track >= end.size() || end[track] < i + 1) {
      return "work on another stream is not joined to the caller's before solve returns: let "
             "`stream` "
             "wait for an event behind it";
    }
  }
  return nullptr;
}

Event& Streams::create_event() {
  events_.push_back(std::make_unique<Event>());
  return *events_.back();
}

Stream* Streams::find(const void* handle) {
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  if (number <= 1) return &default_stream();
  if (number == 2) return &per_thread();
  for (const auto& stream : streams_) {
    if (stream.get() == handle && stream->live) return stream.get();
  }
  return nullptr;
}

Event* Streams::find_event(const void* handle) {
  for (const auto& event : events_) {
    if (event.get() == handle && event->live) return event.get();
  }
  return nullptr;
}

Capture* Streams::find_capture(const void* handle) {
  for (const auto& capture : captures_) {
    if (capture.get() == handle && !capture->open) return capture.get();
  }
  return nullptr;
}

/// The default stream's rule: what is asked of it waits for all blocking streams, and they for it.
void Streams::action_on_default() {
  for (const auto& stream : streams_) {
    if (!stream->blocking) continue;
    join(default_stream().known, stream->known);
    default_stream().behind_caller |= stream->behind_caller;
  }
}

Clock Streams::need_of(Stream& stream) {
  if (&stream == &default_stream()) action_on_default();
  Clock need = stream.known;
  if (stream.blocking) {
    join(need, default_stream().known);
    stream.behind_caller |= default_stream().behind_caller;
  }
  join(need, host_);
  return need;
}

std::uint32_t Streams::track_of(Stream& stream) {
  if (stream.track == 0) stream.track = timeline_.new_track();
  return stream.track;
}

void Streams::queue(Stream& stream, std::string bytes) {
  if (stream.capture != nullptr) {
    stream.capture->timeline.add(stream.captured_track, stream.captured, std::move(bytes));
    return;
  }
  stream.known = need_of(stream);
  note_order(stream);
  timeline_.add(track_of(stream), stream.known, std::move(bytes));
}

void Streams::queue_of_host(bool waits_for_all, std::string bytes) {
  if (waits_for_all) host_waits_for_all();
  Clock need = waits_for_all ? host_ : Clock{};
  timeline_.add(kHostTrack, need, std::move(bytes));
  if (host_.empty()) host_.resize(1, 0);
  host_[kHostTrack] = need[kHostTrack];
}

void Streams::record(Event& event, Stream& stream) {
  event.capture = stream.capture;
  event.at = stream.capture != nullptr ? stream.captured : need_of(stream);
  event.behind_caller = stream.behind_caller;
}

void Streams::wait(Stream& stream, const Event& event) {
  if (event.capture != nullptr && event.capture->open) {
    if (stream.capture == nullptr) take_part(stream, *event.capture);
    join(stream.captured, event.at);
    return;
  }
  if (event.capture != nullptr || stream.capture != nullptr) return;
  if (&stream == &default_stream()) action_on_default();
  join(stream.known, event.at);
  stream.behind_caller |= event.behind_caller;
}

void Streams::host_waits_for(Stream& stream) {
  join(host_, need_of(stream));
  host_behind_caller_ |= stream.behind_caller;
}

void Streams::host_waits_for(const Event& event) {
  if (event.capture != nullptr) return;
  join(host_, event.at);
  host_behind_caller_ |= event.behind_caller;
}

void Streams::host_waits_for_all() {
  for (const auto& stream : streams_) {
    join(host_, stream->known);
    host_behind_caller_ |= stream->behind_caller;
  }
}

void Streams::take_part(Stream& stream, Capture& capture) {
  stream.capture = &capture;
  stream.captured_track = capture.timeline.new_track();
  stream.captured.clear();
  capture.streams.push_back(&stream);
}

bool Streams::begin_capture(Stream& stream) {
  if (stream.capture != nullptr || &stream == &default_stream()) return false;
  captures_.push_back(std::make_unique<Capture>());
  take_part(stream, *captures_.back());
  ++open_captures_;
  return true;
}

Capture* Streams::end_capture(Stream& stream) {
  Capture* capture = stream.capture;
  if (capture == nullptr || capture->streams.front() != &stream) return nullptr;
  for (Stream* part : capture->streams) part->capture = nullptr;
  capture->open = false;
  --open_captures_;
  return capture;
}

Capture& Streams::add_graph() {
  captures_.push_back(std::make_unique<Capture>());
  captures_.back()->open = false;
  return *captures_.back();
}

void Streams::launch(const Capture& graph, Stream& stream) {
  const Clock begin = need_of(stream);
  note_order(stream);
  std::vector<Stream*> tracks(graph.timeline.tracks(), nullptr);
  for (std::uint32_t i = 1; i < tracks.size(); ++i) {
    auto& branch = branches_[{&stream, i}];
    if (i > 1 && branch == nullptr) branch = std::make_unique<Stream>();
    tracks[i] = i == 1 ? &stream : branch.get();
    tracks[i]->known = begin;
  }
  std::vector<std::uint32_t> numbers;
  for (const Step& step : graph.timeline.steps()) {
    Stream& track = *tracks[step.track];
    for (const std::uint32_t earlier : step.after) {
      const std::uint32_t other = tracks[graph.timeline.steps()[earlier].track]->track;
      Clock waited(other + 1, 0);
      waited[other] = numbers[earlier] + 1;
      join(track.known, waited);
    }
    numbers.push_back(static_cast<std::uint32_t>(timeline_.steps().size()));
    timeline_.add(track_of(track), track.known, step.bytes);
  }
  for (std::uint32_t i = 2; i < tracks.size(); ++i) join(stream.known, tracks[i]->known);
}

}  // namespace ww_recorder
