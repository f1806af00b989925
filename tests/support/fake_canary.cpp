// SPDX-License-Identifier: Apache-2.0
// The process that runs schedules, without a GPU: answers by what the cubin's file says, as in
// "ratio=0.9 low=0.88 high=0.92 check=same fuzz=same many=same"; "die=trial" ends it without an
// answer. A real cubin gets numbers that are made from its bytes, and always the same results.
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Words = std::map<std::string, std::string>;

Words words_of(const std::string& content) {
  Words words = {{"check", "same"}, {"fuzz", "same"}, {"many", "same"}};
  if (content.rfind("ratio=", 0) == 0) {
    std::istringstream stream(content);
    for (std::string word; stream >> word;)
      words[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
    return words;
  }
  std::uint64_t hash = 1469598103934665603ULL;
  for (const char byte : content)
    hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211ULL;
  const double ratio = 0.95 + static_cast<double>(hash % 1000) * 1e-4;
  words["ratio"] = std::to_string(ratio);
  words["low"] = std::to_string(ratio - 0.002);
  words["high"] = std::to_string(ratio + 0.002);
  return words;
}

std::string content_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string behaviour(const std::string& kind) {
  if (kind == "same") return "same 1000 met everything";
  return kind + " 10 case 0, input set 3";
}

std::string answer(const std::string& verb, const Words& words, bool has_rival) {
  if (verb == "trial")
    return words.at("ratio") == "none" ? "different" : "ratio " + words.at("ratio");
  if (verb == "pair") {
    // Against a rival, half of the gain: the rival has the other half.
    const std::string low =
        has_rival && words.count("rival_low") ? words.at("rival_low") : words.at("low");
    const std::string high =
        has_rival && words.count("rival_high") ? words.at("rival_high") : words.at("high");
    return "pair " + words.at("ratio") + " " + low + " " + high + " 9 10 100";
  }
  return behaviour(words.at(verb));
}

}  // namespace

int main() {
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream stream(line);
    std::vector<std::string> parts{std::istream_iterator<std::string>(stream), {}};
    if (parts.empty()) continue;
    if (parts[0] == "original") {
      std::cout << "us 100" << std::endl;
      continue;
    }
    const Words words = words_of(content_of(parts.at(1)));
    if (words.count("die") != 0 && words.at("die") == parts[0]) return 3;
    std::cout << answer(parts[0], words, parts.size() > 3) << std::endl;
  }
  return 0;
}
