// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "verify/drawn_sizes.h"

namespace warpwright::verify {

struct DrawLimits {
  CaseLimits edge;            ///< listed edge sizes and variants
  SizeLimits drawn;           ///< sizes of this judgement alone
  std::size_t patterns = 12;  ///< so many generic patterns are tried at edge sizes
  /// 0: the inputs of a drawn size are of the declared distribution or of another one. Otherwise of
  /// the declared one, and of so many others. In both cases one of them is a variant that tolerates
  /// nothing, where the task has any; all are dealt like cards, so that none comes twice before all
  /// have come.
  std::size_t others_per_size = 0;
};

/// What one judgement tries, beside the timed sizes. The cases point into the task and into
/// `storage`, which copies share.
struct CaseSet {
  struct Storage {
    std::vector<DrawnSize> sizes;
    std::vector<InputVariant> patterns;
  };
  std::shared_ptr<const Storage> storage;
  std::vector<Case> cases;
  std::vector<std::string> left_out;  ///< classes of sizes of which none fits the limits
};

/// Edge sizes from small to large, the task's variants and generic patterns at some of them, then
/// drawn sizes with drawn inputs. A pure function of its arguments; who knows the cases learns
/// nothing of the seed.
Result<CaseSet> draw_cases(const Task& task, std::uint64_t seed, const DrawLimits& limits);

/// The inputs of one call.
struct CallInputs {
  const InputVariant* variant = nullptr;  ///< null: the declared ones
  bool scored = true;                     ///< times count for the declared distribution alone
};

/// For a call at this size: the declared inputs with this probability, else one of the task's
/// variants or of the patterns, evenly. Only ones that leave scalars and buffers as they are.
/// Follows one way from the seed of the call.
Result<CallInputs> draw_inputs(const Task& task, const std::vector<InputVariant>& patterns,
                               const TaskSize& size, std::uint64_t call_seed, double declared);

/// The task's variants that fit a size and leave scalars as they are, then one pattern of each
/// kind, for an argument that is drawn; both in a drawn order.
Result<std::vector<const InputVariant*>> every_kind(const Task& task,
                                                    const std::vector<InputVariant>& patterns,
                                                    const TaskSize& size, std::uint64_t seed);

/// All that the inputs of a task's calls are drawn from. The task must outlive it.
class InputChoices {
 public:
  explicit InputChoices(const Task& task);

  /// draw_inputs() with the generic patterns.
  [[nodiscard]] Result<CallInputs> draw(const TaskSize& size, std::uint64_t call_seed,
                                        double declared = 0.5) const;

  /// All others than the declared ones that fit this size.
  [[nodiscard]] Result<std::vector<const InputVariant*>> fitting(const TaskSize& size) const;

 private:
  const Task& task_;
  std::shared_ptr<const std::vector<InputVariant>> patterns_;
};

}  // namespace warpwright::verify
