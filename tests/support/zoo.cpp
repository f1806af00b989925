// SPDX-License-Identifier: Apache-2.0
#include "support/zoo.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "base/files.h"
#include "base/text.h"

namespace warpwright {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMark = "// zoo: ";
constexpr std::string_view kCauseMark = "// cause: ";
constexpr std::size_t kHeaderLines = 4;

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  std::istringstream stream{std::string(text)};
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

int number_in(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Status read_expected(ZooMember& member, std::string_view value) {
  for (const auto& name : split(value)) {
    const auto verdict = verdict_named(name);
    if (verdict) {
      member.expected.push_back(*verdict);
    } else if (name != "refused") {
      return Error{"'" + name + "' is not a verdict"};
    } else {
      for (int i = 0; i < kVerdictCount; ++i) {
        const auto each = static_cast<Verdict>(i);
        if (each != Verdict::ok && each != Verdict::harness_error) member.expected.push_back(each);
      }
    }
  }
  return {};
}

Status read_field(ZooMember& member, std::string_view key, std::string_view value) {
  if (key == "task") {
    member.task = value;
  } else if (key == "rules") {
    if (value != "strict" && value != "free") return Error{"rules is not strict or free"};
    member.rules = value;
  } else if (key == "device") {
    if (value != "simt" && value != "cuda" && value != "simt_only") {
      return Error{"device is not simt, cuda or simt_only"};
    }
    member.needs_gpu = value == "cuda";
    member.only_simt = value == "simt_only";
  } else if (key == "expect") {
    return read_expected(member, value);
  } else if (key == "class") {
    for (const auto& text : split(value)) {
      if (const int number = number_in(text); number > 0) member.classes.push_back(number);
    }
  } else if (key == "size") {
    member.size = value;
  } else if (key == "largest") {
    member.at_largest = value == "yes";
  } else {
    return Error{"unknown key '" + std::string(key) + "'"};
  }
  return {};
}

}  // namespace

bool ZooMember::accepts(Verdict verdict) const {
  return std::find(expected.begin(), expected.end(), verdict) != expected.end();
}

std::string ZooMember::expected_text() const {
  std::string text;
  for (const auto verdict : expected) {
    text += (text.empty() ? "" : ",") + std::string(name_of(verdict));
  }
  return text;
}

Result<ZooMember> parse_member(std::string name, std::string source) {
  ZooMember member{.name = std::move(name), .source = std::move(source)};
  const auto lines = lines_of(member.source);
  for (std::size_t i = 0; i < std::min(lines.size(), kHeaderLines); ++i) {
    if (lines[i].starts_with(kCauseMark)) {
      member.cause = number_in(lines[i].substr(kCauseMark.size()));
    }
    if (!lines[i].starts_with(kMark)) continue;
    std::istringstream words{std::string(lines[i].substr(kMark.size()))};
    for (std::string word; words >> word;) {
      const auto equals = word.find('=');
      if (equals == std::string::npos) return Error{member.name + ": '" + word + "' has no value"};
      const Status read =
          read_field(member, std::string_view(word).substr(0, equals), word.substr(equals + 1));
      if (!read.ok()) return Error{member.name + ": " + read.error().message};
    }
  }
  if (member.task.empty() || member.rules.empty() || member.expected.empty()) {
    return Error{member.name + ": no '// zoo:' line with task, rules and expect"};
  }
  return member;
}

std::vector<std::string> zoo_folders() { return {"cheats", "honest"}; }
std::vector<std::string> red_team_folders() {
  return {"redteam/attacks", "redteam/defused", "redteam/honest"};
}

Result<std::vector<ZooMember>> load_zoo(const fs::path& tests,
                                        const std::vector<std::string>& folders) {
  std::vector<ZooMember> members;
  for (const std::string& folder : folders) {
    std::error_code code;
    std::vector<fs::path> files;
    for (const auto& file : fs::directory_iterator(tests / folder, code)) {
      if (file.path().extension() == ".cu") files.push_back(file.path());
    }
    std::sort(files.begin(), files.end());
    std::string prefix = folder + ".";
    std::replace(prefix.begin(), prefix.end(), '/', '.');
    for (const auto& file : files) {
      WW_TRY(std::string source, read_file(file));
      WW_TRY(auto member, parse_member(prefix + file.stem().string(), std::move(source)));
      members.push_back(std::move(member));
    }
  }
  return members;
}

Result<std::vector<std::string>> sizes_of(const ZooMember& member, const Task& task) {
  std::vector<std::string> sizes = {task.sizes.front().label};
  const auto add = [&](const std::string& label) {
    if (std::find(sizes.begin(), sizes.end(), label) == sizes.end()) sizes.push_back(label);
  };
  if (!member.size.empty()) add(member.size);
  if (member.at_largest) add(task.sizes.back().label);
  for (const std::string& label : sizes) {
    if (size_labelled(task, label) == nullptr) {
      return Error{member.name + ": the task has no size '" + label + "'"};
    }
  }
  return sizes;
}

}  // namespace warpwright
