// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "report/library.h"
#include "report/page.h"

namespace warpwright::report {

/// A news item for one listening page: an id and one line of JSON.
struct News {
  std::string id;
  std::string data;
};

/// Follows one run for one listener. The id of a state is a hash of what the page then shows, so
/// that any server, also one that was started a moment ago, knows whether a page is up to date.
class RunFollower {
 public:
  /// `last` is the id that the page has, or empty.
  RunFollower(const Library& library, const Clock& clock, std::string archive, std::string run,
              std::string last);
  ~RunFollower();

  /// What has changed since the last call; none when nothing has. Cheap when nobody has written.
  Result<std::optional<News>> look();

  /// The page with the state as it is now; look() then goes on from there.
  Result<Page> page();

 private:
  struct State;
  Result<bool> changed();
  Status read();

  const Library& library_;
  const Clock& clock_;
  std::string archive_key_;
  std::string run_;
  std::string last_;
  std::unique_ptr<State> state_;
};

/// The same for the list of all runs.
class IndexFollower {
 public:
  /// `fleet` gives a JSON object of what judges for the runs; empty: there is none.
  IndexFollower(const Library& library, const Clock& clock, std::string last,
                std::function<std::string()> fleet = {})
      : library_(library), clock_(clock), last_(std::move(last)), fleet_(std::move(fleet)) {}

  Result<std::optional<News>> look();
  Result<Page> page();

 private:
  std::string runs_json();
  std::string state_json();  ///< the fields of the page that change, without braces

  const Library& library_;
  const Clock& clock_;
  std::string last_;
  std::function<std::string()> fleet_;
};

/// A text that a live page's link names; none when there is no such text.
Result<std::optional<std::string>> linked_text(store::Archive& archive, const std::string& run,
                                               const std::string& link);

/// The run of exactly this id.
Result<store::RunRecord> run_named(store::Archive& archive, const std::string& id);

}  // namespace warpwright::report
