// Compares the output of fxt-dump with goldens. FXT_RENEW_GOLDENS=1 in the environment renews the goldens.
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

#include "fxt/tools/record_text.h"
#include "fxt/tools/statistics.h"
#include "tests/fxt/sample_trace.h"

namespace fxt::test {
namespace {

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(GOLDENS) + "/" + name;
  if (std::getenv("FXT_RENEW_GOLDENS") != nullptr) std::ofstream(path) << text;
  std::ostringstream golden;
  golden << std::ifstream(path).rdbuf();
  EXPECT_EQ(text, golden.str()) << path;
}

std::string formatted(const Words& words, void (*append)(TextBuffer&, const Entry&)) {
  const auto bytes = bytes_of(words);
  Reader reader(bytes);
  TextBuffer text;
  while (const Entry* entry = reader.next()) {
    append(text, *entry);
    text.push_back('\n');
  }
  return fmt::to_string(text);
}

TEST(Golden, Lines) {
  expect_golden("sample.txt", formatted(joined(sample_trace(), kUncommonRecords), tools::append_line));
}

TEST(Golden, Json) {
  expect_golden("sample.json", formatted(joined(sample_trace(), kUncommonRecords), tools::append_json));
}

TEST(Golden, Statistics) {
  const auto bytes = bytes_of(joined(sample_trace(), kUncommonRecords));
  Reader reader(bytes);
  tools::Statistics statistics;
  while (const Entry* entry = reader.next()) statistics.add(*entry, reader);
  statistics.finish();
  TextBuffer text;
  statistics.append_to(text, reader, [] {});
  expect_golden("sample_stats.txt", fmt::to_string(text));
}

}  // namespace
}  // namespace fxt::test
