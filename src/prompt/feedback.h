// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/device_facts.h"
#include "core/evaluation.h"
#include "core/task.h"
#include "prompt/compose.h"

namespace warpwright::prompt {

/// Texts for the placeholders, one line per fact. Each is empty when there is nothing to say.

std::string device_facts_text(const DeviceFacts& device);

/// What tensor cores reach, for a task that may use them; else nothing.
std::string tensor_rate_text(const Task& task, const DeviceFacts& device);
/// How many elements each buffer has, and what the names in that mean.
std::string arguments_text(const Task& task);
/// The meaning of each rule of the task.
std::string rules_text(const Task& task);
std::string sizes_text(std::span<const TaskSize> sizes);

/// Each time says whether it is measured or estimated. The paper's level has the time alone.
std::string times_text(const Evaluation& evaluation, FeedbackLevel level);
/// At which size the time is farthest from its floor; empty when that is not known of all.
std::string farthest_text(const Evaluation& evaluation);
std::string resources_text(const Evaluation& evaluation);
/// `source` may be empty: then no line is quoted.
std::string findings_text(const Evaluation& evaluation, std::string_view source);
std::string tried_text(std::span<const TriedBefore> tried);

/// Diagnostics with the source line they speak of, then the judge's own feedback.
std::string failure_text(const Evaluation& failed, std::string_view source, FeedbackLevel level);

/// What an answer says of itself before its code, shortened; empty when there is no code or remark.
std::string remark_of(std::string_view reply);

/// A time with three significant digits and its unit.
std::string microseconds(double value);

/// At most so many lines and bytes, with a note of how many lines were left out.
std::string limited(std::string_view text, std::size_t max_lines, std::size_t max_bytes);

/// Foreign text made fit for a prompt: UTF-8, without absolute paths (their last component stays)
/// and without `secret` where it is long enough to be one.
std::string without_secrets(std::string_view text, std::string_view secret);

}  // namespace warpwright::prompt
