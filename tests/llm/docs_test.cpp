// SPDX-License-Identifier: Apache-2.0
// docs/models.md repeats three tables of the source; this keeps them equal.

#include <cstdio>

#include <gmock/gmock.h>

#include "base/files.h"
#include "base/text.h"
#include "llm/make_model.h"
#include "llm/price.h"
#include "llm/service.h"
#include "support/places.h"

namespace warpwright::llm {
namespace {

using ::testing::HasSubstr;

std::string page() { return read_file(source_path("/docs/models.md")).value(); }

std::string row_starting(const std::string& text, const std::string& start) {
  for (const std::string_view line : lines_of(text)) {
    if (line.starts_with(start)) return std::string(line);
  }
  return {};
}

TEST(Docs, EveryServiceHasItsRow) {
  const std::string text = page();
  for (const Service& service : services()) {
    const std::string row = row_starting(text, "| `" + std::string(service.name) + ":MODEL` |");
    EXPECT_THAT(row, HasSubstr("`" + std::string(service.base_url) + "`")) << service.name;
    EXPECT_THAT(row, HasSubstr(service.key_env.empty() ? " none "
                                                       : "`" + std::string(service.key_env) + "`"));
    EXPECT_TRUE(row.ends_with("| " + std::to_string(service.concurrency) + " |")) << row;
  }
  for (const KnownModel& known : known_models()) {
    EXPECT_THAT(text, HasSubstr("| `" + std::string(known.name))) << known.name;
  }
}

TEST(Docs, EveryPriceHasItsRowAndThereAreNoOthers) {
  const std::string text = page();
  for (const PriceRow& row : price_rows()) {
    const std::string name = std::string(row.service) + ":" + std::string(row.model);
    double fresh = 0, read = 0, write = 0, output = 0;
    const std::string line = row_starting(text, "| `" + name + "` |");
    ASSERT_EQ(std::sscanf(line.c_str() + line.find("` |") + 3, "%lf | %lf | %lf | %lf", &fresh,
                          &read, &write, &output),
              4)
        << name << ": " << line;
    EXPECT_EQ((Price{fresh, read, write, output}), row.price) << name;
    EXPECT_THAT(line, HasSubstr(std::string(row.as_of)));
  }
  std::string section = text.substr(text.find("## Tokens and money"));
  section.resize(section.find("## Options"));
  std::size_t rows = 0;
  for (const std::string_view line : lines_of(section)) {
    rows += line.starts_with("| `") ? 1 : 0;
  }
  EXPECT_EQ(rows, price_rows().size());
}

TEST(Docs, DefaultsAreTrue) {
  const ModelOptions options;
  const std::string text = page();
  EXPECT_THAT(text, HasSubstr("| `max_output_tokens` | " +
                              std::to_string(options.max_output_tokens) + " |"));
  EXPECT_THAT(text, HasSubstr("| `tries` | " + std::to_string(options.max_tries) + " |"));
  const auto in = [](std::chrono::milliseconds ms, int unit, const char* name) {
    return std::to_string(ms.count() / 1000 / unit) + name;
  };
  EXPECT_THAT(text, HasSubstr("| `connect_timeout`, `idle_timeout`, `total_timeout` | " +
                              in(options.timeouts.connect, 1, "s") + ", " +
                              in(options.timeouts.idle, 1, "s") + ", " +
                              in(options.timeouts.total, 60, "m") + " |"));
}

}  // namespace
}  // namespace warpwright::llm
