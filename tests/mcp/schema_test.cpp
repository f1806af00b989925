// SPDX-License-Identifier: Apache-2.0
#include "mcp/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mcp/tool.h"

namespace warpwright::mcp {
namespace {

using testing::HasSubstr;

const Json kSchema = Json::parse(R"({"type":"object","additionalProperties":false,
  "required":["name"],"properties":{"name":{"type":"string","maxLength":4},
  "count":{"type":"integer","minimum":1,"maximum":9},"kind":{"type":"string","enum":["a","b"]},
  "list":{"type":"array","maxItems":2,"items":{"type":"number"}}}})");

TEST(Schema, NamesWhatIsWrong) {
  EXPECT_EQ(schema_objection(kSchema, {{"name", "x"}, {"count", 3}, {"kind", "b"}}), "");
  EXPECT_THAT(schema_objection(kSchema, Json::object()), HasSubstr("needs the field 'name'"));
  EXPECT_THAT(schema_objection(kSchema, {{"name", 1}}), HasSubstr("'name' must be of type string"));
  EXPECT_THAT(schema_objection(kSchema, {{"name", "12345"}}), HasSubstr("at most 4 bytes"));
  EXPECT_THAT(schema_objection(kSchema, {{"name", "x"}, {"count", 0}}), HasSubstr("at least 1"));
  EXPECT_THAT(schema_objection(kSchema, {{"name", "x"}, {"count", 1.5}}), HasSubstr("integer"));
  EXPECT_THAT(schema_objection(kSchema, {{"name", "x"}, {"kind", "c"}}), HasSubstr("one of"));
  EXPECT_THAT(schema_objection(kSchema, {{"name", "x"}, {"cuont", 1}}),
              HasSubstr("did you mean 'count'"));
  EXPECT_THAT(schema_objection(kSchema, {{"name", "x"}, {"list", {1, "2"}}}), HasSubstr("list[1]"));
  EXPECT_THAT(schema_objection(kSchema, {{"name", "x"}, {"list", {1, 2, 3}}}),
              HasSubstr("at most 2 items"));
  EXPECT_THAT(schema_objection(kSchema, Json::array()), HasSubstr("type object"));
}

/// A schema that says something nobody checks aborts: walking all of them is the test.
TEST(Schema, EveryToolHasSchemasThatAreChecked) {
  for (const Tool& tool : tools()) {
    const Json listed = tool_json(tool);
    for (const char* key : {"inputSchema", "outputSchema"}) {
      EXPECT_EQ(listed[key]["type"], "object") << tool.name;
      schema_objection(listed[key], Json::object());
      for (const auto& [name, field] : listed[key]["properties"].items()) {
        schema_objection(field, Json());
        if (std::string(key) == "inputSchema") {
          EXPECT_TRUE(field.contains("description")) << tool.name << " " << name;
        }
      }
    }
    EXPECT_EQ(listed["inputSchema"]["additionalProperties"], false) << tool.name;
  }
}

}  // namespace
}  // namespace warpwright::mcp
