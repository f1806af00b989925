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
constexpr std::size_t kHeaderLines = 4;

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  std::istringstream stream{std::string(text)};
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

Status read_field(ZooMember& member, std::string_view key, std::string_view value) {
  if (key == "task") {
    member.task = value;
  } else if (key == "lane") {
    if (value != "strict" && value != "free") return Error{"lane is not strict or free"};
    member.lane = value;
  } else if (key == "device") {
    if (value != "simt" && value != "cuda") return Error{"device is not simt or cuda"};
    member.needs_gpu = value == "cuda";
  } else if (key == "expect") {
    for (const auto& name : split(value)) {
      const auto verdict = verdict_named(name);
      if (!verdict) return Error{"'" + name + "' is not a verdict"};
      member.expected.push_back(*verdict);
    }
  } else if (key == "class") {
    for (const auto& text : split(value)) {
      int number = 0;
      std::from_chars(text.data(), text.data() + text.size(), number);
      if (number > 0) member.classes.push_back(number);
    }
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
  if (member.task.empty() || member.lane.empty() || member.expected.empty()) {
    return Error{member.name + ": no '// zoo:' line with task, lane and expect"};
  }
  return member;
}

Result<std::vector<ZooMember>> load_zoo(const fs::path& tests) {
  std::vector<ZooMember> members;
  for (const std::string folder : {"cheats", "honest"}) {
    std::error_code code;
    std::vector<fs::path> files;
    for (const auto& file : fs::directory_iterator(tests / folder, code)) {
      if (file.path().extension() == ".cu") files.push_back(file.path());
    }
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
      WW_TRY(std::string source, read_file(file));
      WW_TRY(auto member, parse_member(folder + "." + file.stem().string(), std::move(source)));
      members.push_back(std::move(member));
    }
  }
  return members;
}

}  // namespace warpwright
