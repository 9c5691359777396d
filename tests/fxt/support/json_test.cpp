// Trees of names and values, as JSON.
#include "fxt/support/json.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>

namespace fxt {
namespace {

TEST(Json, ValuesInOneLine) {
  const Json json{{"name", "calc"},
                  {"view", nullptr},
                  {"is_cut", true},
                  {"shift", -3},
                  {"end_ns", std::numeric_limits<std::uint64_t>::max()},
                  {"pieces", std::vector<std::string>{"a", "b"}},
                  {"inner", Json{{"count", 0u}}}};
  EXPECT_EQ(json.in_one_line(),
            R"({"name":"calc","view":null,"is_cut":true,"shift":-3,"end_ns":18446744073709551615,)"
            R"("pieces":["a","b"],"inner":{"count":0}})");
}

TEST(Json, ALineForEachPart) {
  Json json{{"a", 1}, {"none", Json::array()}, {"nothing", Json::object()}};
  json["list"].push_back(2);
  json["list"].push_back({{"b", false}, {"c", "x"}});
  EXPECT_EQ(json.in_lines(), R"({
  "a": 1,
  "none": [],
  "nothing": {},
  "list": [
    2,
    {
      "b": false,
      "c": "x"
    }
  ]
})");
}

TEST(Json, NamesAndTextsAreEscaped) {
  EXPECT_EQ((Json{{"a\"\n", "\x1b[31m \xff \xc2\x9b"}}.in_one_line()),
            "{\"a\\\"\\u000a\":\"\\u001b[31m \xef\xbf\xbd \\u009b\"}");
}

TEST(Json, MembersAreFoundByName) {
  Json json;
  EXPECT_EQ(json.find("a"), nullptr);
  EXPECT_TRUE(json.is_null());
  json["a"] = "x";
  json["b"] = 2;
  json["a"] = "y";
  EXPECT_EQ(json.in_one_line(), R"({"a":"y","b":2})");
  EXPECT_EQ(*json.find("a")->text(), "y");
  EXPECT_EQ(json.find("c"), nullptr);
  EXPECT_EQ(json.names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(json.is_object() && !json.is_array());
  EXPECT_EQ(json.find("b")->text(), nullptr);
  EXPECT_EQ(json.find("b")->boolean(), std::nullopt);
}

}  // namespace
}  // namespace fxt
