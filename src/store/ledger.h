// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace warpwright::store {

struct Database;

/// What was asked to be judged, and what came out: a SQLite file of its own. Whoever asked before a
/// kill -9 is answered after it. A power cut may take the last moments, never the file. Any number
/// of threads may use it.
class Ledger {
 public:
  struct Question {
    std::string id;      ///< equal questions have equal ids
    std::string client;  ///< who asked first
    std::string wish;    ///< all that is needed to judge it, as the asker wrote it
  };
  struct Figures {
    std::int64_t open = 0, done = 0;
    std::int64_t judged_again = 0;  ///< more than one judge began them
  };

  static Result<std::unique_ptr<Ledger>> open(const std::filesystem::path& path,
                                              const Clock& clock);
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  /// False when it was there before.
  Result<bool> add(const Question& question);
  /// A judge begins.
  Status begin(const std::string& id);
  Status finish(const std::string& id, const std::string& result);
  /// The judge could not: whoever asks again is judged again.
  Status drop(const std::string& id);

  /// The result; absent while there is none.
  Result<std::optional<std::string>> result(const std::string& id);
  /// Of earlier processes, oldest first.
  Result<std::vector<Question>> unfinished();
  Result<Figures> figures();
  /// Forgets the oldest results beyond that many.
  Status keep(std::int64_t results);

 private:
  explicit Ledger(std::unique_ptr<Database> database);
  std::mutex mutex_;
  std::unique_ptr<Database> database_;
};

}  // namespace warpwright::store
