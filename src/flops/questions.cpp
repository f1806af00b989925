// SPDX-License-Identifier: Apache-2.0
#include "flops/questions.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

namespace warpwright::flop {

namespace {

using ReplyJson = nlohmann::json;

constexpr std::string_view kSp = "sp_flop_count", kDp = "dp_flop_count";

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string size_text(const simt::Dim3& d) { return fmt::format("({}, {}, {})", d.x, d.y, d.z); }

std::string question_text(const AnalysisRequest& request, const LaunchCount& launch,
                          const std::vector<SourceFile>& files) {
  const DeviceFacts& device = request.program.target;
  std::string text = fmt::format(
      "Count the floating-point operations that the first launch of one CUDA kernel executes.\n\n"
      "Kernel: {}\nCommand line of the program: {}\nGrid: {} blocks\nBlock: {} threads\n"
      "Threads in all: {}\nCompiled for: sm_{}{} with -O3{}\n\n",
      launch.signature,
      request.run.arguments.empty() ? "(no arguments)" : joined(request.run.arguments),
      size_text(launch.grid), size_text(launch.block), launch.grid.count() * launch.block.count(),
      device.compute_major, device.compute_minor,
      request.program.fast_math ? " and fast mathematics" : "");
  text +=
      "Count what the hardware executes: an addition or a multiplication is 1, a fused "
      "multiply-add 2. Division, square root and mathematical functions are the sequences of "
      "additions and multiplications that the compiler makes of them. Comparisons, conversions and "
      "integer operations are 0. Count only threads that execute an instruction.\n\n"
      "Answer with one JSON object and nothing behind it:\n"
      "{\"sp_flop_count\": NUMBER, \"sp_flop_explanation\": \"TEXT\", \"dp_flop_count\": NUMBER, "
      "\"dp_flop_explanation\": \"TEXT\"}\n"
      "sp is single precision, dp is double precision.\n";
  for (const SourceFile& file : files)
    text += "\n" + file.name + ":\n```cuda\n" + file.text +
            (file.text.ends_with('\n') ? "" : "\n") + "```\n";
  return text;
}

std::optional<double> number_in(const ReplyJson& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  std::string digits;
  for (const char c : value.get<std::string>()) {
    if (c != ',' && c != '_' && c != ' ') digits += c;
  }
  char* end = nullptr;
  const double number = std::strtod(digits.c_str(), &end);
  if (end == digits.c_str()) return std::nullopt;
  return number;
}

std::optional<double> usable(std::optional<double> number) {
  if (!number || !std::isfinite(*number) || *number < 0) return std::nullopt;
  return number;
}

/// The end of the object that begins at `open`; npos where it does not end.
std::size_t end_of_object(std::string_view text, std::size_t open) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

/// "sp_flop_count": 12 in text that is no JSON.
std::optional<double> count_behind(std::string_view text, std::string_view name) {
  const std::size_t at = text.rfind(name);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(at + name.size(), 80);
  const std::size_t digit = rest.find_first_of("0123456789");
  if (digit == std::string_view::npos || rest.substr(0, digit).find('\n') != std::string_view::npos)
    return std::nullopt;
  return number_in(
      ReplyJson(std::string(rest.substr(digit, rest.find_first_of("}\n;\"", digit) - digit))));
}

}  // namespace

std::vector<Question> questions_of(const AnalysisRequest& request, const Analysis& analysis,
                                   const std::vector<SourceFile>& files) {
  std::vector<Question> questions;
  std::map<std::string, int> seen;
  const std::string program =
      request.program.files.empty() ? "program" : request.program.files.front().stem().string();
  for (const LaunchCount& launch : analysis.launches) {
    if (launch.launch != 0) continue;
    std::string id = program + "." + launch.kernel;
    for (char& c : id) {
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '.') c = '_';
    }
    if (const int number = ++seen[id]; number > 1) id += "." + std::to_string(number);
    questions.push_back({id, launch.kernel, question_text(request, launch, files), launch.flops});
  }
  return questions;
}

Answer answer_in(std::string_view reply) {
  Answer answer;
  constexpr std::size_t kMostTried = 64;
  std::size_t tried = 0;
  for (std::size_t open = reply.rfind('{'); open != std::string_view::npos && tried < kMostTried;
       open = open == 0 ? std::string_view::npos : reply.rfind('{', open - 1), ++tried) {
    const std::size_t end = end_of_object(reply, open);
    if (end == std::string_view::npos) continue;
    const ReplyJson object = ReplyJson::parse(reply.substr(open, end - open), nullptr, false);
    if (!object.is_object() || (!object.contains(kSp) && !object.contains(kDp))) continue;
    if (object.contains(kSp)) answer.sp = usable(number_in(object.at(std::string(kSp))));
    if (object.contains(kDp)) answer.dp = usable(number_in(object.at(std::string(kDp))));
    return answer;
  }
  answer.sp = usable(count_behind(reply, kSp));
  answer.dp = usable(count_behind(reply, kDp));
  return answer;
}

Score score_of(const std::vector<Pair>& pairs) {
  Score score;
  score.questions = pairs.size();
  if (pairs.empty()) return score;
  double logs = 0, tp = 0, tn = 0, fp = 0, fn = 0;
  std::size_t compared = 0;
  for (const Pair& pair : pairs) {
    if (!pair.answer) continue;
    ++score.answered;
    const double answer = *pair.answer, truth = std::round(pair.truth);
    const double off = truth == 0 ? (answer == 0 ? 0 : HUGE_VAL) : std::abs(answer - truth) / truth;
    score.within_1 += off <= 0.01 ? 1 : 0;
    score.within_10 += off <= 0.1 ? 1 : 0;
    score.within_100 += off <= 1 ? 1 : 0;
    (answer > 0 ? (truth > 0 ? tp : fp) : (truth > 0 ? fn : tn)) += 1;
    if (answer > 0 && truth > 0) {
      logs += std::abs(std::log10(answer / truth));
      ++compared;
    }
  }
  const double share = 100.0 / static_cast<double>(pairs.size());
  score.within_1 *= share;
  score.within_10 *= share;
  score.within_100 *= share;
  const double below = std::sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn));
  score.mcc =
      below > 0 ? (tp * tn - fp * fn) / below : (fp + fn == 0 && score.answered > 0 ? 1 : 0);
  score.male = compared == 0 ? 0 : logs / static_cast<double>(compared);
  return score;
}

}  // namespace warpwright::flop
