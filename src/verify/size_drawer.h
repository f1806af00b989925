// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/domain.h"
#include "verify/drawn_sizes.h"
#include "verify/secret_draws.h"

namespace warpwright::verify {

/// What is asked of one size.
struct Wanted {
  SizeClass size_class = SizeClass::tiny;
  std::string label;
  std::map<std::string, std::pair<double, double>> windows;  ///< bounds beside those of the domain
  const TaskSize* like = nullptr;  ///< its values are taken where nothing else is asked
  double max_bytes = 0;
  double max_work = 0;
  double least_bytes = 0;       ///< the drawn upper bound on bytes is not below this one
  double least_work = 1. / 16;  ///< nor that on work below so much of what it may take
  double asked_bytes = 0;       ///< smaller sizes are drawn again, if others can be had
  /// Values that are drawn again where they miss their window or are listed, if others can be had.
  bool in_windows = false;
  bool odd = false;  ///< values with a window are to be odd: none is left over by two or four
};

/// What a size may take at most.
struct Caps {
  double bytes = 0;
  double work = 0;
};

/// Values that kernels get wrong more often than others, none above v.
enum class Flavour { plain, near_power, odd, prime, multiple };

/// How much of their way up values go: first those of wide domains give way, then the others, then
/// those with a window.
struct Shares {
  double wide = 1;
  double narrow = 1;
  double moving = 1;
};

/// Whether a value may be large. Others are shape parameters, such as a filter's width, and worth
/// more than one row more.
bool is_wide(const DomainRange& range);

/// How one value was thrown: where in its range, and what kind of number it is to be.
struct Throw {
  double share = 0;
  Flavour flavour = Flavour::plain;
  double detail = 0;
};

/// Draws sizes of a task one by one, none twice and none that is listed.
class SizeDrawer {
 public:
  SizeDrawer(const Task& task, std::vector<NamedDomain> domains, std::uint64_t most_elements,
             std::uint64_t seed)
      : task_(task),
        domains_(std::move(domains)),
        most_elements_(most_elements),
        draws_(seed, "drawn sizes") {}

  /// Nothing when no size of this kind fits, beside those that are listed or drawn already.
  std::optional<TaskSize> draw(const Wanted& wanted);

  /// Whether any size has these windows and fits.
  [[nodiscard]] bool can_fit(const Wanted& wanted) const;

  /// The largest value of this name, from `low` to `high`, that some size has that fits; nothing
  /// where none does.
  [[nodiscard]] std::optional<double> largest_value(const Wanted& wanted, const std::string& name,
                                                    double low, double high) const;

  /// It is not drawn again.
  void keep(const TaskSize& size) { drawn_.push_back(size.values); }

 private:
  /// Nothing where a domain has no member.
  std::optional<TaskSize> composed(const Wanted& wanted, const std::vector<Throw>& throws,
                                   const Shares& shares) const;

  double free_value(const Wanted& wanted, const std::string& name, const DomainRange& range,
                    const Throw& t, double free) const;

  bool fits(const std::optional<TaskSize>& size, const Caps& caps) const;

  /// The largest share for which `at(share)` fits, found by halving; or a part of it.
  std::optional<TaskSize> largest_fitting(const Caps& caps,
                                          const std::function<std::optional<TaskSize>(double)>& at,
                                          double part = 1) const;

  std::vector<Throw> throw_all(const Wanted& wanted);

  std::optional<TaskSize> attempt(const Wanted& wanted);

  std::optional<TaskSize> shrunk(const Wanted& wanted, const std::vector<Throw>& throws,
                                 const Caps& caps) const;

  /// How much of what was asked a size misses, 0: nothing.
  std::size_t misses(const Wanted& wanted, const TaskSize& size) const;

  bool is_listed_value(const std::string& name, double value) const;

  bool is_drawn(const TaskSize& size) const;

  bool is_listed(const TaskSize& drawn) const;

  const Task& task_;
  std::vector<NamedDomain> domains_;
  std::uint64_t most_elements_;
  SecretDraws draws_;
  std::vector<Values> drawn_;
};

}  // namespace warpwright::verify
