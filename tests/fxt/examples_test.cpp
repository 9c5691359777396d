// Tests the example that converts Chrome's JSON, with a realistic trace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "tests/fxt/tool_test.h"

namespace fxt::test {
namespace {

constexpr const char* kTrace = R"({"traceEvents": [
{"ph":"M","name":"process_name","pid":0,"args":{"name":"Browser"}},
{"ph":"M","name":"thread_name","pid":0,"tid":1,"args":{"name":"main"}},
{"ph":"X","cat":"app","name":"inner","pid":0,"tid":1,"ts":2,"dur":3.5},
{"ph":"X","cat":"app","name":"outer","pid":0,"tid":1,"ts":1,"dur":10,"args":{"n":1,"f":0.5,"b":true,"s":"a","l":[1]}},
{"ph":"f","cat":"ipc","name":"send","id":"0x1","pid":0,"tid":1,"ts":30},
{"ph":"s","cat":"ipc","name":"send","id":"0x1","pid":0,"tid":1,"ts":1},
{"ph":"t","cat":"ipc","name":"send","id":"0x9","pid":0,"tid":1,"ts":5},
{"ph":"i","name":"NewFrame","pid":0,"tid":1,"ts":6,"s":"t"},
{"ph":"b","cat":"net","name":"first","id":7,"pid":0,"tid":1,"ts":1},
{"ph":"b","cat":"net","name":"second","id":7,"pid":0,"tid":1,"ts":2},
{"ph":"e","cat":"net","name":"first","id":7,"pid":0,"tid":1,"ts":3},
{"ph":"e","cat":"net","name":"second","id":7,"pid":0,"tid":1,"ts":4},
{"ph":"C","name":"rss","pid":0,"ts":1,"args":{"value":1}},
{"ph":"C","name":"faults","pid":0,"ts":2,"args":{"value":2}},
{"ph":"E","pid":"GPU","tid":"stream 7","ts":9},
{"ph":"B","name":"kernel","pid":"GPU","tid":"stream 7","ts":10},
{"ph":"E","pid":"GPU","tid":"stream 7","ts":12}
]})";

// The expected events. Process 0 has the id 2147483647. Ends and steps without a start are omitted.
constexpr const char* kEvents =
    R"(complete 1000..11000 2147483647/1 "app" "outer" "b"="true" "f"=f64:0.5 "l"="[1]" "n"=i64:1 "s"="a"
flow-begin 1000 2147483647/1 "ipc" "send" id=2
async-begin 1000 2147483647/1 "net" "first" id=3
counter 1000 2147483647/2147483647 "" "rss" id=4 "value"=i64:1
complete 2000..5500 2147483647/1 "app" "inner"
async-begin 2000 2147483647/1 "net" "second" id=6
counter 2000 2147483647/2147483647 "" "faults" id=7 "faults value"=i64:2
async-end 3000 2147483647/1 "net" "first" id=3
async-end 4000 2147483647/1 "net" "second" id=6
complete 6000..6000 2147483647/1 "" "NewFrame"
begin 10000 1879048202/1879048203 "" "kernel"
end 12000 1879048202/1879048203 "" ""
complete 30000..30000 2147483647/1 "ipc" "send"
flow-end 30000 2147483647/1 "ipc" "send" id=2
)";

class ChromeToFxt : public ToolTest {};

TEST_F(ChromeToFxt, WritesFilesThatAllReadersAccept) {
  const std::string in = file_with("in.json", kTrace), out = folder() + "out.fxt";
  const Outcome converted = shell(CHROME_TO_FXT " " + in + ' ' + out);
  EXPECT_EQ(converted.output, "");
  EXPECT_EQ(converted.exit_code, 0);
  EXPECT_EQ(shell(FXT_DUMP " --check --werror " + out).exit_code, 0)
      << shell(FXT_DUMP " --check " + out).output;
  EXPECT_EQ(shell(FXT_DUMP " --type event " + out).output, kEvents);
}

TEST_F(ChromeToFxt, ReportsErrors) {
  EXPECT_THAT(shell(CHROME_TO_FXT).output, testing::HasSubstr("usage"));
  const Outcome outcome = shell(CHROME_TO_FXT " " + file_with("in.json", "{") + ' ' + folder() + "out.fxt");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, testing::HasSubstr("parse error"));
}

}  // namespace
}  // namespace fxt::test
