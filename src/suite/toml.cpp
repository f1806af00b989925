// SPDX-License-Identifier: Apache-2.0
#include "suite/toml.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include "core/json_reader.h"

namespace warpwright::suite {

namespace {

using Json = nlohmann::json;

Json to_json(const toml::node& node) {
  if (const auto* table = node.as_table()) {
    Json object = Json::object();
    for (const auto& [key, value] : *table) object[std::string(key.str())] = to_json(value);
    return object;
  }
  if (const auto* array = node.as_array()) {
    Json list = Json::array();
    for (const auto& value : *array) list.push_back(to_json(value));
    return list;
  }
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* integer = node.as_integer()) return integer->get();
  if (const auto* truth = node.as_boolean()) return truth->get();
  if (const auto* number = node.as_floating_point();
      number != nullptr && std::isfinite(number->get()))
    return number->get();
  return nullptr;
}

// The part of a path before its last '.' or '['.
std::string_view parent_of(std::string_view path) {
  const auto cut = path.find_last_of(".[");
  return cut == std::string_view::npos ? std::string_view{} : path.substr(0, cut);
}

}  // namespace

struct TomlDocument::State {
  toml::table table;
  std::string where;
};

TomlDocument::TomlDocument(std::unique_ptr<State> state) : state_(std::move(state)) {}
TomlDocument::TomlDocument(TomlDocument&&) noexcept = default;
TomlDocument::~TomlDocument() = default;

Result<TomlDocument> TomlDocument::parse(std::string_view text, std::string where) {
  try {
    return TomlDocument(std::make_unique<State>(State{toml::parse(text), where}));
  } catch (const toml::parse_error& error) {
    return Error{fmt::format("{}:{}: {}", where, error.source().begin.line, error.description())};
  } catch (const std::exception& error) {
    return Error{fmt::format("{}: {}", where, error.what())};
  }
}

std::string TomlDocument::to_json(const Additions& additions) const {
  Json json = suite::to_json(state_->table);
  json["name"] = additions.name;
  json["sources"] = {{"baseline", additions.baseline},
                     {"slow", additions.slow},
                     {"reference", additions.reference},
                     {"device_reference", additions.device_reference}};
  if (!additions.torch.empty()) json["sources"]["torch"] = additions.torch;
  return dump_json(json);
}

std::string TomlDocument::place_of(std::string_view path) const {
  for (; !path.empty(); path = parent_of(path)) {
    const auto node = toml::at_path(state_->table, path);
    if (node && node.node()->source().begin.line > 0)
      return fmt::format("{}:{}", state_->where, node.node()->source().begin.line);
  }
  return state_->where;
}

}  // namespace warpwright::suite
