// What frames show of the variables of traced_values.cpp, and of expressions with them, where GDB shows the
// same.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "converters/tfile/program/program.h"
#include "tests/tfile/trace_builder.h"

namespace convert::tfile {
namespace {

using testing::HasSubstr;

class CollectedValues : public testing::Test {
 protected:
  // What a frame shows of a variable with these bytes, which are recorded as a range: " <name>=<value> …".
  std::string variable(const std::string& name, const std::string& bytes) {
    const std::uint64_t address = address_of(name);
    return frame(name, fmt::format("M-1,{:x},{:x}", address, bytes.size()), {{address, bytes}});
  }
  using Memory = std::vector<std::pair<std::uint64_t, std::string>>;
  // What a frame shows that collects items by actions which recorded that memory.
  std::string frame(std::string_view items, const std::string& actions, const Memory& memory) {
    TraceBuilder t;
    const std::string location = fmt::format("2:{:x}", program_.functions("visit").front().address);
    t.line("R 40")
        .line(fmt::format("tp T{}:E:0:0", location))
        .line(fmt::format("tp A{}:{}", location, actions));
    t.source(location, "at", "visit").source(location, "cmd", fmt::format("collect {}", items)).frame(2);
    for (const auto& [address, bytes] : memory) t.memory(address, bytes);
    const std::string line = t.end().lines({.blobs = Blobs::None}, {.programs = {TRACED_VALUES}}).at(0) + " ";
    notes_ = t.notes();
    return line.substr(line.find(" pc="));
  }
  std::uint64_t address_of(const std::string& object) const {
    return program_.object(object).value().address;
  }
  template <typename T>
  static std::string number(T value) {
    return number_bytes(value);
  }

  Program program_{TRACED_VALUES, Demangle::Simple};
  std::vector<std::string> notes_;  // of the last frame
};

TEST_F(CollectedValues, EnumerationsHaveTheSignOfTheirType) {
  for (const char* const name : {"signal_now", "lamp"}) {
    const std::string prefix = name == std::string_view("lamp") ? "" : "Signal::";
    EXPECT_THAT(variable(name, "\x80"), HasSubstr(fmt::format(" {}='{}", name, prefix))) << "the top bit";
    EXPECT_THAT(variable(name, "\xf0"), HasSubstr(fmt::format(" {}=240 ", name)));
  }
  EXPECT_THAT(variable("drift", number(std::int16_t{-1})), HasSubstr(" drift=-1 "));
}

}  // namespace
}  // namespace convert::tfile
