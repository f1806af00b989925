// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/records.h"

namespace warpwright::cli {

/// list: text with commas between its items; a flag that is given again adds to them.
enum class SettingKind { text, list, integer, number, duration, flag };

/// One thing a user can set: in warpwright.toml under its dotted key, and by its flag.
struct SettingRow {
  std::string_view key;    ///< "search.candidates"
  std::string_view flags;  ///< "-n,--candidates"; empty: only in a file
  SettingKind kind;
  std::string_view otherwise;  ///< default, "" = unset
  std::string_view help;
};

std::span<const SettingRow> setting_rows();

/// Values of the table's rows, each with its origin. Later set() calls win.
class Settings {
 public:
  Settings();

  /// Checks the value against the row's kind; the error names the origin.
  Status set(std::string_view key, const std::string& value, const std::string& origin);
  /// Every "key = value" of a TOML file, origin "FILE:LINE" after the given words. Unknown keys are
  /// errors.
  Status read_file(const std::string& path, const std::string& before_origin = "");
  /// The file's [prices] alone; what else it says is not looked at.
  Status read_prices(const std::string& path, const std::string& before_origin);
  /// What an earlier process stored of a run.
  Status adopt(const std::vector<store::ConfigValue>& stored);

  [[nodiscard]] const std::string& text(std::string_view key) const;
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key) const;
  [[nodiscard]] std::optional<double> number(std::string_view key) const;  ///< seconds, too
  [[nodiscard]] bool flag(std::string_view key) const;
  /// Of [prices] "SPEC" = [fresh, cache_read, cache_write, output], US dollars per million tokens.
  [[nodiscard]] std::optional<std::array<double, 4>> price(std::string_view spec) const;
  [[nodiscard]] std::vector<store::ConfigValue> all() const;

 private:
  enum class Part { everything, prices };
  Status read(const std::string& path, Part part, const std::string& before_origin);

  struct Value {
    std::string text;
    std::string origin;
  };
  std::map<std::string, Value, std::less<>> values_;
};

/// "90", "90s", "15m", "2h" in seconds.
std::optional<double> parse_duration(std::string_view text);

/// "0.3,0.03,0.3,1.2".
std::optional<std::array<double, 4>> parse_price(std::string_view text);

/// The file a user means: --config, else ./warpwright.toml, else the one in the user's
/// configuration directory; empty when there is none.
std::string find_config_file(const std::string& from_flag);

}  // namespace warpwright::cli
