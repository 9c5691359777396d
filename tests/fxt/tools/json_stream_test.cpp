// The JSON of each kind of record.
#include "fxt/tools/json_stream.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "fxt/writer.h"
#include "tests/fxt/check_words.h"
#include "tests/fxt/sample_trace.h"

namespace fxt::test {
namespace {

class TextEnd final : public ByteStream {
 public:
  explicit TextEnd(std::string& text) : text_(text) {}
  void write(std::span<const std::byte> bytes) override {
    text_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void finish() override { text_ += "<finished>"; }

 private:
  std::string& text_;
};

struct Converted {
  std::string text = {};
  std::uint64_t left_out = 0;
};

// Converts a trace that arrives in blocks of `block_bytes`.
Converted converted(const Words& words, std::size_t block_bytes = std::numeric_limits<std::size_t>::max()) {
  Converted result;
  tools::JsonStream stream(std::make_unique<TextEnd>(result.text));
  const auto trace = bytes_of(words);
  for (auto rest = std::as_bytes(std::span(trace)); !rest.empty();) {
    const std::size_t size = std::min(rest.size(), block_bytes);
    stream.write(rest.first(size));
    rest = rest.subspan(size);
  }
  stream.finish();
  result.left_out = stream.left_out();
  return result;
}

// Returns the JSON objects of one event. Also checks that no record was omitted.
std::string object_of(const Event& event) {
  const Converted result = converted(file_of([&](Writer& writer) { writer.write(event); }));
  constexpr std::string_view kHead = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[",
                             kTail = "\n]}\n<finished>";
  EXPECT_TRUE(result.text.starts_with(kHead));
  EXPECT_TRUE(result.text.ends_with(kTail));
  const std::string objects =
      result.text.substr(kHead.size(), result.text.size() - kHead.size() - kTail.size());
  return objects + (result.left_out == 0 ? "" : " left out: " + std::to_string(result.left_out));
}

Event event_of(EventType type) {
  return {
      .type = type, .time = 1'234'056, .thread = {.process = 7, .thread = 8}, .category = "c", .name = "n"};
}

TEST(JsonStream, EachTypeOfEvent) {
  using enum EventType;
  const auto object = [](std::string_view phase, std::string_view rest) {
    return "\n{\"ph\":\"" + std::string(phase) + "\",\"pid\":7,\"tid\":8,\"ts\":1234.056" +
           std::string(rest) + '}';
  };
  constexpr std::string_view kNames = R"(,"cat":"c","name":"n")";
  for (const auto& [type, phase, rest] : {std::tuple{DurationBegin, "B", ""},
                                          {DurationEnd, "E", ""},
                                          {Instant, "i", R"(,"s":"t")"},
                                          {AsyncBegin, "b", R"(,"id":"0xff")"},
                                          {AsyncInstant, "n", R"(,"id":"0xff")"},
                                          {AsyncEnd, "e", R"(,"id":"0xff")"},
                                          {FlowBegin, "s", R"(,"id":"0xff")"},
                                          {FlowStep, "t", R"(,"id":"0xff")"},
                                          {FlowEnd, "f", R"(,"id":"0xff","bp":"e")"}}) {
    Event event = event_of(type);
    event.id = has_id(type) ? 0xff : 0;
    EXPECT_EQ(object_of(event), object(phase, std::string(kNames) + rest));
  }
  Event complete = event_of(DurationComplete);
  complete.end = complete.time + 5;
  EXPECT_EQ(object_of(complete), object("X", ",\"dur\":0.005" + std::string(kNames)));
  Event global = event_of(Instant);
  global.scope = InstantScope::Global;
  EXPECT_EQ(object_of(global), object("i", std::string(kNames) + R"(,"s":"g")"));
}

TEST(JsonStream, ValuesStayExact) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 53;
  Event event = event_of(EventType::DurationBegin);
  event.arguments = {{"null", {}},
                     {"i32", std::int32_t{-5}},
                     {"u32", std::uint32_t{5}},
                     {"number", -kLargest},
                     {"same number", kLargest},
                     {"text", -kLargest - 1},
                     {"large", ~std::uint64_t{0}},
                     {"half", 0.5},
                     {"nan", std::numeric_limits<double>::quiet_NaN()},
                     {"inf", -std::numeric_limits<double>::infinity()},
                     {"pointer", Pointer{0xffff'ffff'ffff'ffff}},
                     {"koid", Koid{9}},
                     {"bool", true},
                     {"same", "a"},
                     {"same", "\x01\"\xed\xa0\x80"}};
  const std::string object = object_of(event);
  const std::string expected =
      R"(,"args":{"null":null,"i32":-5,"u32":5,"number":-9007199254740992,"same number":9007199254740992,)"
      R"("text":"-9007199254740993",)"
      R"("large":"18446744073709551615","half":0.5,"nan":"nan","inf":"-inf","pointer":"0xffffffffffffffff",)"
      R"x("koid":9,"bool":true,"same":"a","same (2)":"\u0001\")x"
      "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"}}";
  EXPECT_EQ(object.substr(object.find(",\"args\"")), expected);
}

TEST(JsonStream, CurvesHaveOnlyNumbers) {
  Event event = event_of(EventType::Counter);
  event.id = 3;
  event.arguments = {
      {"a", std::uint64_t{1} << 60}, {"b", "text"}, {"c", std::numeric_limits<double>::infinity()}};
  const std::string object = object_of(event);
  EXPECT_EQ(object.substr(object.find(",\"name\"")),
            R"(,"name":"n:a","id":"0x3","args":{"a":1152921504606846976}})");
  event.arguments = {{"c", std::numeric_limits<double>::infinity()}};
  EXPECT_EQ(object_of(event), " left out: 1");
}

TEST(JsonStream, ACounterWithOneValueHasItsName) {
  const auto names = [](const Arguments& arguments) {
    Event event = event_of(EventType::Counter);
    event.arguments = arguments;
    const std::string object = object_of(event);
    return object.substr(object.find(",\"name\""));
  };
  EXPECT_EQ(names({{"a", 1.5}}), R"(,"name":"n:a","args":{"a":1.5}})");
  EXPECT_EQ(names({{"n", 1.5}}), R"(,"name":"n","args":{"n":1.5}})");
  EXPECT_EQ(names({{"a", 1.5}, {"b", 2.5}}), R"(,"name":"n","args":{"a":1.5,"b":2.5}})");
}

TEST(JsonStream, ABeginAndAnEndWithOneTimeAreOneObject) {
  const auto event = [](EventType type, std::uint64_t thread, std::string_view name,
                        Arguments arguments = {}) {
    return Event{.type = type,
                 .time = 5,
                 .thread = {.process = 1, .thread = thread},
                 .name = name,
                 .arguments = std::move(arguments)};
  };
  using enum EventType;
  const Converted result = converted(file_of([&](Writer& writer) {
    writer.write(event(DurationBegin, 1, "f", {{"a", std::uint32_t{1}}}));
    writer.write(event(DurationBegin, 2, "other"));
    writer.write(event(DurationBegin, 1, "g"));
    writer.write(event(DurationEnd, 1, "g", {{"b", std::uint32_t{2}}}));
    writer.write(event(DurationEnd, 1, "f", {{"c", std::uint32_t{3}}}));
    writer.write(event(DurationEnd, 2, "other"));
    writer.write(event(DurationEnd, 2, "around"));
  }));
  EXPECT_EQ(result.text,
            "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
            R"({"ph":"X","pid":1,"tid":1,"ts":0.005,"cat":"","name":"f","args":{"a":1,"c":3},"dur":0.000},)"
            "\n"
            R"({"ph":"X","pid":1,"tid":2,"ts":0.005,"cat":"","name":"other","dur":0.000},)"
            "\n"
            R"({"ph":"X","pid":1,"tid":1,"ts":0.005,"cat":"","name":"g","args":{"b":2},"dur":0.000},)"
            "\n"
            R"({"ph":"E","pid":1,"tid":2,"ts":0.005,"cat":"","name":"around"})"
            "\n]}\n<finished>");
}

TEST(JsonStream, NamesAndRecordsThatAreLeftOut) {
  const Converted result = converted(file_of([](Writer& writer) {
    writer.name_process(7, "p\n");
    writer.name_thread(7, 8, "t");
    writer.write(Blob{"perfetto", BlobType::Perfetto, {}});
    const std::vector<std::byte> large(100'000);  // needs several records
    writer.write(Blob{"info", BlobType::Data, large});
    writer.write(ContextSwitch{.time = 1, .incoming_thread = 8});
    writer.write(Log{.time = 1, .message = "m"});
    writer.buffer_full();
  }));
  EXPECT_EQ(result.text,
            "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
            "{\"ph\":\"M\",\"pid\":7,\"name\":\"process_name\",\"args\":{\"name\":\"p\\u000a\"}},\n"
            "{\"ph\":\"M\",\"pid\":7,\"tid\":8,\"name\":\"thread_name\",\"args\":{\"name\":\"t\"}}\n]}\n<"
            "finished>");
  EXPECT_EQ(result.left_out, 4U);
}

TEST(JsonStream, BlocksMayEndAnywhere) {
  const Converted whole = converted(sample_trace());
  EXPECT_GT(whole.text.size(), 1000U);
  for (const std::size_t block_bytes : {std::size_t{1}, std::size_t{8}, std::size_t{1000}}) {
    const Converted parts = converted(sample_trace(), block_bytes);
    EXPECT_EQ(parts.text, whole.text);
    EXPECT_EQ(parts.left_out, whole.left_out);
  }
}

}  // namespace
}  // namespace fxt::test
