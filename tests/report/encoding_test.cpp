// SPDX-License-Identifier: Apache-2.0
#include "report/encoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "report/page.h"
#include "report/text_pool.h"
#include "support/sample_runs.h"

namespace warpwright::report {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string unpacked(const std::string& block, std::size_t size) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : block) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(kDigits.find(c));
    count += 6;
    if (count >= 8) bytes += static_cast<char>(bits >> (count -= 8) & 255);
  }
  std::string text(size, '\0');
  uLongf length = size;
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(text.data()), &length,
                       reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()),
            Z_OK);
  text.resize(length);
  return text;
}

TEST(Encoding, Base64OfTheStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64(std::string("\xff\0\xfe", 3)), "/wD+");
}

TEST(Encoding, PolicyHashOfTheStandard) {
  // From the Content-Security-Policy specification's example.
  EXPECT_EQ(csp_hash("alert('Hello, world.');"),
            "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=");
}

TEST(Encoding, JsonInAScriptCannotEndItOrOpenAComment) {
  for (const auto& text : samples::hostile_texts()) {
    const std::string safe = script_safe("\"" + text + "\"");
    EXPECT_EQ(safe.find('<'), std::string::npos) << safe;
    EXPECT_EQ(safe.find('>'), std::string::npos) << safe;
  }
}

TEST(Encoding, EveryTextOnceAndBackAgain) {
  TextPool pool;
  const std::string large(700'000, 'x');
  EXPECT_EQ(pool.add("one"), 0);
  EXPECT_EQ(pool.add(large), 1);
  EXPECT_EQ(pool.add("one"), 0);
  EXPECT_EQ(pool.add(""), 2);
  EXPECT_EQ(pool.add("three"), 3);
  ASSERT_EQ(pool.places().size(), 4u);
  const auto blocks = pool.blocks();
  const std::vector<std::string> texts = {"one", large, "", "three"};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto place = pool.places()[i];
    EXPECT_EQ(unpacked(blocks.at(place.block), 2'000'000).substr(place.offset, place.length),
              texts[i]);
  }
}

TEST(Page, TitleAndDataAreNeverMarkup) {
  for (const auto& text : samples::hostile_texts()) {
    Page page;
    page.title = text;
    page.data = "{\"kind\":\"" + script_safe(text) + "\"}";
    const std::string plain = render(Page{"t", "{}", {}, false}).html;
    const std::string html = render(page).html;
    const auto count = [](const std::string& where, const std::string& what) {
      int found = 0;
      for (auto at = where.find(what); at != std::string::npos; at = where.find(what, at + 1)) {
        ++found;
      }
      return found;
    };
    for (const char* what : {"<script", "</script", "<img", "<svg", "<!--", "</title", "<a "}) {
      EXPECT_EQ(count(html, what), count(plain, what)) << what << " in " << text;
    }
  }
}

TEST(Page, OnlyALivePageMayConnectAndNonePastItsServer) {
  const auto file = render(Page{"t", "{}", {}, false});
  EXPECT_THAT(file.policy, HasSubstr("default-src 'none'"));
  EXPECT_THAT(file.policy, Not(HasSubstr("connect-src")));
  EXPECT_THAT(file.policy, Not(HasSubstr("unsafe")));
  EXPECT_THAT(render(Page{"t", "{}", {}, true}).policy, HasSubstr("connect-src 'self'"));
}

}  // namespace
}  // namespace warpwright::report
