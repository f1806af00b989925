// SPDX-License-Identifier: Apache-2.0
// Tools around one kernel: judge it, explain it, hold it against another, tune it.
#include <fmt/format.h>

#include "mcp/summary.h"
#include "mcp/tool.h"

namespace warpwright::mcp {

namespace {

std::vector<std::string> labels_of(const Json& arguments) {
  std::vector<std::string> labels;
  if (!arguments.contains("sizes")) return labels;
  for (const auto& label : arguments["sizes"]) labels.push_back(label.get<std::string>());
  return labels;
}

ToolAnswer stopped_or(const StopSignal& stop, const Error& error) {
  return tool_failure(stop.requested() ? "cancelled" : error.message);
}

ToolAnswer comparison_answer(const Evaluation& evaluation, bool complete) {
  if (!evaluation.valid() || !evaluation.comparison) {
    ToolAnswer answer = evaluation_answer(evaluation, complete);
    const bool second = evaluation.comparison && evaluation.comparison->failed == "second";
    answer.data["failed"] = second ? "second" : "first";
    answer.text = std::string("The ") + (second ? "second" : "first") +
                  " kernel is not valid, so nothing was compared. " + answer.text;
    return answer;
  }
  const Comparison& comparison = *evaluation.comparison;
  ToolAnswer answer;
  Json sizes = Json::array();
  bool estimated = false;
  std::string table;
  for (const auto& size : comparison.sizes) {
    estimated = estimated || size.source == TimeSource::estimated;
    sizes.push_back({{"size", size.size},
                     {"first_us", size.first_us},
                     {"second_us", size.second_us},
                     {"ratio", size.ratio.value},
                     {"ratio_low", size.ratio.low},
                     {"ratio_high", size.ratio.high},
                     {"order", name_of(size.order)}});
    table += fmt::format("  {:<20} {:>12.3f} us {:>12.3f} us  ratio {:.4f}  {}\n", size.size,
                         size.first_us, size.second_us, size.ratio.value, name_of(size.order));
  }
  answer.data = {{"state", "done"},
                 {"verdict", "ok"},
                 {"order", name_of(comparison.order)},
                 {"ratio", comparison.ratio.value},
                 {"ratio_low", comparison.ratio.low},
                 {"ratio_high", comparison.ratio.high},
                 {"estimated", estimated},
                 {"sizes", sizes},
                 {"device", evaluation.device}};
  answer.text = fmt::format(
      "The first kernel is {}{}{} the second: first / second = {:.4f} "
      "({:.4f} .. {:.4f}) on {}.\n{}",
      estimated ? "estimated " : "", name_of(comparison.order),
      comparison.order == Order::same ? " as" : " than", comparison.ratio.value,
      comparison.ratio.low, comparison.ratio.high, evaluation.device, table);
  if (complete) answer.data["evaluation"] = evaluation_for_model(evaluation);
  return answer;
}

ToolAnswer tuned_answer(const Tuned& tuned, bool complete) {
  ToolAnswer answer = evaluation_answer(tuned.best, complete);
  answer.data["changed"] = tuned.changed;
  answer.data["gain"] = tuned.gain;
  answer.data["given_verdict"] = name_of(tuned.given.verdict);
  answer.data["given_values"] = tuned.given_values;
  answer.data["best_values"] = tuned.best_values;
  answer.data["configurations"] = tuned.configurations;
  answer.data["tried"] = tuned.tried;
  answer.data["evaluations"] = tuned.evaluations;
  answer.data["source"] = tuned.source;
  std::string head =
      fmt::format("{} of {} configurations were tried. ", tuned.tried, tuned.configurations);
  if (!tuned.changed) {
    head += fmt::format("Nothing was shown to be faster than the source as given ({}).",
                        tuned.given_values);
  } else if (tuned.given.valid()) {
    head += fmt::format("Best: {}, {:.3f} times as fast as given ({}).", tuned.best_values,
                        tuned.gain, tuned.given_values);
  } else {
    head += fmt::format("Best: {}; as given ({}) the verdict is {}.", tuned.best_values,
                        tuned.given_values, name_of(tuned.given.verdict));
  }
  answer.text = head + "\n" + answer.text;
  if (tuned.changed) answer.text += "\nThe source with these values:\n" + tuned.source;
  return answer;
}

/// The form that was asked for; behind the short one the complete one.
template <class T>
ToolAnswer in_both_forms(const T& result, bool complete, ToolAnswer (*answer)(const T&, bool)) {
  ToolAnswer form = answer(result, complete);
  if (!complete && !form.is_error)
    form.whole = std::make_shared<const ToolAnswer>(answer(result, true));
  return form;
}

/// An absent text stands for the baseline, which is called by its name.
Result<std::optional<std::string>> side_of(const ToolBox& box, const Json& arguments,
                                           const char* text_key, const char* file_key) {
  WW_TRY(std::string source, source_of(box, arguments, text_key, file_key));
  if (source == "baseline") return std::optional<std::string>();
  return std::optional<std::string>(std::move(source));
}

}  // namespace

ToolAnswer judge_kernel(ToolBox& box, const Json& arguments, const CallScope& scope) {
  auto task = task_of(box, arguments);
  if (!task.ok()) return tool_failure(task.error().message);
  auto source = source_of(box, arguments, "source", "file");
  if (!source.ok()) return tool_failure(source.error().message);
  JudgeWish wish{.task = std::move(task).value(), .source = std::move(source).value()};
  wish.sizes = labels_of(arguments);
  wish.rule_set = arguments.value("rule_set", std::string());
  wish.with_baseline = arguments.value("baseline", true);
  const bool complete = arguments.value("complete", false);
  return as_job(
      box, arguments, scope, "judging",
      [&workshop = box.workshop, wish = std::move(wish), complete](const StopSignal& stop) {
        const auto evaluation = workshop.judge(wish, stop);
        if (!evaluation.ok()) return stopped_or(stop, evaluation.error());
        return in_both_forms(*evaluation, complete, evaluation_answer);
      });
}

ToolAnswer compare_kernels(ToolBox& box, const Json& arguments, const CallScope& scope) {
  auto task = task_of(box, arguments);
  if (!task.ok()) return tool_failure(task.error().message);
  auto first = side_of(box, arguments, "first", "first_file");
  if (!first.ok()) return tool_failure(first.error().message);
  auto second = side_of(box, arguments, "second", "second_file");
  if (!second.ok()) return tool_failure(second.error().message);
  CompareWish wish{std::move(task).value(), std::move(first).value(), std::move(second).value(),
                   labels_of(arguments)};
  const bool complete = arguments.value("complete", false);
  return as_job(
      box, arguments, scope, "comparing",
      [&workshop = box.workshop, wish = std::move(wish), complete](const StopSignal& stop) {
        const auto evaluation = workshop.compare(wish, stop);
        if (!evaluation.ok()) return stopped_or(stop, evaluation.error());
        return in_both_forms(*evaluation, complete, comparison_answer);
      });
}

ToolAnswer tune_kernel(ToolBox& box, const Json& arguments, const CallScope& scope) {
  auto task = task_of(box, arguments);
  if (!task.ok()) return tool_failure(task.error().message);
  auto source = source_of(box, arguments, "source", "file");
  if (!source.ok()) return tool_failure(source.error().message);
  TuneWish wish{std::move(task).value(), std::move(source).value(), labels_of(arguments),
                arguments["evaluations"].get<std::int64_t>()};
  const bool complete = arguments.value("complete", false);
  return as_job(
      box, arguments, scope, "tuning",
      [&workshop = box.workshop, wish = std::move(wish), complete](const StopSignal& stop) {
        const auto tuned = workshop.tune(wish, stop);
        if (!tuned.ok()) return stopped_or(stop, tuned.error());
        return in_both_forms(*tuned, complete, tuned_answer);
      });
}

ToolAnswer explain_kernel(ToolBox& box, const Json& arguments, const CallScope& scope) {
  auto task = task_of(box, arguments);
  if (!task.ok()) return tool_failure(task.error().message);
  auto source = source_of(box, arguments, "source", "file");
  if (!source.ok()) return tool_failure(source.error().message);
  ExplainWish wish{std::move(task).value(), std::move(source).value(),
                   arguments.value("size", std::string()),
                   arguments.value("device", std::string())};
  const bool complete = arguments.value("complete", false);
  return as_job(
      box, arguments, scope, "explaining",
      [&workshop = box.workshop, wish = std::move(wish), complete](const StopSignal& stop) {
        const auto explanation = workshop.explain(wish, stop);
        if (!explanation.ok()) return stopped_or(stop, explanation.error());
        return in_both_forms(*explanation, complete, explanation_answer);
      });
}

}  // namespace warpwright::mcp
