// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <future>
#include <vector>

#include "evaluate/session.h"

namespace warpwright::evaluate {

/// Checks results on other threads while the device goes on. What is found is told in the order of
/// the cases, whatever ends first, and under the stage that the results come from.
class CheckQueue {
 public:
  explicit CheckQueue(Session& session) : session_(session) {}
  /// Waits for what is under way: it refers to the session.
  ~CheckQueue();
  CheckQueue(const CheckQueue&) = delete;
  CheckQueue& operator=(const CheckQueue&) = delete;

  /// How a run differs from the first one.
  struct Way {
    std::string schedule;  ///< of the SIMT machine; empty: in order
    std::string memory;    ///< what its outputs held beforehand, if that was something else
  };
  /// Results of one case: of one run or more, which must all be right.
  struct Results {
    std::vector<Fetched> runs;
    std::vector<Finding> findings;  ///< of the first run
    std::vector<Way> under;         ///< by run; missing ones are in order
  };
  /// Takes the case's inputs; awaits old checks when too much is under way.
  Outcome<> add(LoadedCase& loaded, std::vector<verify::Expected> expected, Results results);
  /// The same for timed calls with the same inputs. What is expected is computed on the other
  /// thread, too.
  Outcome<> add_timed(LoadedCase& loaded, std::vector<Fetched> runs);

  /// Those that have ended by now. Ended by the first that is wrong, as the others are.
  Outcome<> conclude_ready();
  /// All of the validation; what is left needs no device.
  Outcome<> conclude_validation();
  Outcome<> conclude_all();

 private:
  struct Found {
    std::optional<Wrong> wrong;
    std::size_t run = 0;
    std::string remark = {};
  };
  struct Pending {
    verify::Case item;
    std::uint64_t seed = 0;
    Stage stage = Stage::validate;
    std::uint64_t bytes = 0;  ///< held, about
    std::vector<Finding> findings;
    std::future<Result<Found>> found;
    std::vector<Way> under = {};
  };
  Outcome<> push(Pending pending);
  Outcome<> conclude_first();
  Outcome<> ended_by(const Pending& pending, const Found& found);

  Session& session_;
  std::deque<Pending> pending_;
};

}  // namespace warpwright::evaluate
