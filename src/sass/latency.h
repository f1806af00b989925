// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sass/program.h"

namespace warpwright::sass {

/// How a later instruction depends on an earlier one. The letters are the table's.
enum class Relation : char {
  general = 'r',            ///< reads a general register that the other writes
  predicate = 'p',          ///< reads a predicate as data
  guard = 'g',              ///< is guarded by a predicate that the other writes
  uniform = 'u',            ///< reads a uniform register
  uniform_predicate = 'q',  ///< reads a uniform predicate
  overwrite = 'w',          ///< writes a register that the other writes
  after_read = 'a',         ///< writes a register that the other reads
  issue = 'i',              ///< comes right behind it, whatever the registers
  fence = 'f',              ///< comes somewhere behind a fence, whatever the registers
};

/// The least number of cycles that ptxas left between two instructions, and how often it was seen.
struct Latency {
  int cycles = 0;
  std::uint64_t seen = 0;
  std::uint64_t at_least = 0;  ///< how often exactly the least
};

/// What is known of an architecture: nothing but what ptxas's own code shows.
class LatencyTable {
 public:
  /// A minimum of fewer observations is no minimum.
  static constexpr std::uint64_t kEnough = 20;
  /// A minimum that ptxas meets so often is one that it keeps; others may be chance.
  static constexpr std::uint64_t kTight = 4, kVeryTight = 20;
  /// No arithmetic is faster: what a minimum that was met a few times may be taken for.
  static constexpr int kFastest = 4;
  /// How much later than others a consumer may need a result.
  static constexpr int kSlowestReader = 2;
  /// Stands for all consumers of a producer.
  static constexpr std::string_view kAny = "*";

  /// "Relation producer consumer cycles seen met" in lines behind a line "sm_90"; "#" begins a
  /// comment.
  static Result<LatencyTable> parse(std::string_view text);
  [[nodiscard]] std::string text() const;

  void observe(Relation relation, const std::string& producer, const std::string& consumer,
               int cycles, std::uint64_t times = 1, std::uint64_t met = 1);
  void merge(const LatencyTable& other);
  /// Forgets what was seen too rarely to be used, and overwrites whose minimum was met too rarely.
  void prune();

  /// The minimum, where it was seen often enough.
  [[nodiscard]] std::optional<int> find(Relation relation, const std::string& producer,
                                        const std::string& consumer) const;
  /// What ptxas is known to keep: the pair's minimum where it was met often, else that of the
  /// producer over all consumers, if that was. What a comparison compares, and how, is no matter.
  [[nodiscard]] std::optional<int> kept(Relation relation, const std::string& producer,
                                        const std::string& consumer) const;
  /// The most of the minima of one producer, over all consumers.
  [[nodiscard]] std::optional<int> most_of(const std::string& producer) const;

  /// The least of all comparisons of a kind ("ISETP") to a consumer; nothing for other producers.
  [[nodiscard]] std::optional<int> least_of_comparisons(Relation relation,
                                                        const std::string& producer,
                                                        const std::string& consumer) const;

  [[nodiscard]] int architecture() const { return architecture_; }
  void set_architecture(int architecture) { architecture_ = architecture; }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }

 private:
  struct Key {
    char relation;
    std::string producer, consumer;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, Latency> rows_;
  int architecture_ = 0;
};

/// One dependence as the table names it.
struct PairName {
  Relation relation;
  std::string producer, consumer;
};
/// `index` is the register that both have to do with.
PairName read_name(const Instruction& producer, const Instruction& consumer, std::size_t index);
PairName overwrite_name(const Instruction& producer, const Instruction& consumer,
                        std::size_t index);
PairName after_read_name(const Instruction& reader, const Instruction& writer, std::size_t index);
PairName issue_name(const Instruction& first, const Instruction& second);

/// Adds what the functions of a program show.
void learn(const Program& program, LatencyTable& table);

/// The tables that the program carries: sm_80, sm_86 and sm_90. The error says how to make one.
Result<LatencyTable> shipped_table(int architecture);

}  // namespace warpwright::sass
