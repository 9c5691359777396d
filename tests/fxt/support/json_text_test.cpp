#include "fxt/support/json_text.h"

#include <gtest/gtest.h>
#include <string>

#include <nlohmann/json.hpp>

namespace fxt {
namespace {

TEST(JsonText, IsOneLine) {
  const Json json{{"name", "calc"}, {"view", nullptr}, {"pieces", {"a", 2}}, {"inner", {{"count", 0U}}}};
  EXPECT_EQ(json_text(json), R"({"name":"calc","view":null,"pieces":["a",2],"inner":{"count":0}})");
}

TEST(JsonText, HasALineForEachPartIfIndented) {
  EXPECT_EQ(json_text({{"b", 1}, {"a", {2, {{"c", "x\ny"}}}}, {"none", Json::array()}}, 2), R"({
  "b": 1,
  "a": [
    2,
    {
      "c": "x\ny"
    }
  ],
  "none": []
})");
}

TEST(JsonText, EscapesNamesAndTexts) {
  EXPECT_EQ(json_text({{"a\"\x7f", "\x1b[31m \xff \u009b \u202e \ufffe \u00fc"}}),
            "{\"a\\\"\\u007f\":\"\\u001b[31m \ufffd \\u009b \\u202e \\ufffe \u00fc\"}");
}

}  // namespace
}  // namespace fxt
