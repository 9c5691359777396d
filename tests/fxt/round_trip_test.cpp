// Writes random records and reads them: the read records must equal the written records. Then writes the read
// records again: the words must equal the words of the first file.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <gtest/gtest.h>
#include <initializer_list>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fxt/reader.h"
#include "tests/fxt/sample_trace.h"

namespace fxt::test {
namespace {

// Makes records that a Writer accepts. The records refer to texts in the maker, so they are valid only as
// long as the maker exists.
class RecordMaker {
 public:
  explicit RecordMaker(std::uint64_t seed) : random_(seed) {}

  Event event() {
    Event event{.type = static_cast<EventType>(pick(11)), .time = time(), .thread = thread()};
    event.category = string();
    event.name = string();
    if (event.type == EventType::Counter) {
      event.arguments = keep({{"series " + std::string(event.name.text), Value(random_())}});
    } else {
      event.arguments = arguments();
    }
    if (event.type == EventType::DurationComplete) event.end = event.time + pick(1000);
    if (event.type == EventType::Counter || event.type >= EventType::AsyncBegin) event.id = random_();
    return event;
  }
  Blob blob() { return {.name = string(), .type = static_cast<BlobType>(1 + pick(3)), .bytes = bytes(500)}; }
  KernelObject object() {
    return {.type = static_cast<KernelObjectType>(3 + pick(20)),
            .koid = random_(),
            .name = string(),
            .arguments = arguments()};
  }
  UserspaceObject userspace_object() {
    return {.process = {.process = 1 + pick(100)},
            .pointer = random_(),
            .name = string(),
            .arguments = arguments()};
  }
  LegacyContextSwitch legacy_switch() {
    return {.time = time(),
            .cpu = static_cast<std::uint16_t>(pick(256)),
            .outgoing_state = static_cast<ThreadState>(pick(6)),
            .outgoing = thread(),
            .incoming = thread(),
            .outgoing_priority = static_cast<std::uint8_t>(1 + pick(255)),
            .incoming_priority = static_cast<std::uint8_t>(1 + pick(255))};
  }
  ContextSwitch context_switch() {
    return {.time = time(),
            .cpu = static_cast<std::uint16_t>(pick(4096)),
            .outgoing_state = static_cast<ThreadState>(pick(6)),
            .outgoing_thread = 1 + pick(100),
            .incoming_thread = 1 + pick(100),
            .arguments = arguments()};
  }
  ThreadWakeup wakeup() {
    return {.time = time(),
            .cpu = static_cast<std::uint16_t>(pick(4096)),
            .thread = 1 + pick(100),
            .arguments = arguments()};
  }
  Log log() { return {.time = time(), .thread = thread(), .message = text()}; }
  LargeBlob large_blob() {
    return {.time = time(),
            .thread = thread(),
            .category = string(),
            .name = string(),
            .arguments = arguments(),
            .bytes = bytes(50'000)};
  }
  LargeBlobWithoutMetadata plain_blob() {
    return {.category = string(), .name = string(), .bytes = bytes(50'000)};
  }
  ProfilerModule module() {
    return {.time = time(),
            .thread = indexed(),
            .module_id = static_cast<std::uint16_t>(random_()),
            .name = text(),
            .build_id = bytes(256)};
  }
  ProfilerMmap mmap() {
    return {.time = time(),
            .thread = indexed(),
            .module_id = static_cast<std::uint16_t>(random_()),
            .flags = static_cast<std::uint8_t>(pick(8)),
            .start = random_(),
            .range = random_(),
            .vaddr = random_()};
  }
  ProfilerBacktrace backtrace() {
    auto& frames = frames_.emplace_back(pick(256));
    for (std::uint64_t& frame : frames) frame = random_();
    return {.time = time(),
            .thread = thread(),
            .flags = static_cast<std::uint32_t>(pick(1U << 28)),
            .frames = frames};
  }
  std::uint64_t pick(std::uint64_t count) { return random_() % count; }

 private:
  std::uint64_t time() { return random_() >> 2; }
  Thread thread() {
    const std::uint64_t id = 1 + pick(400);
    return {.process = 1 + id / 10, .thread = id, .storage = pick(4) == 0 ? Storage::Inline : Storage::Table};
  }
  Thread indexed() { return {.process = 1, .thread = 1 + pick(9)}; }
  std::string_view text() {
    static const std::vector<std::string_view> kParts = {"a",          "main", "\u00e9", "\u20ac",
                                                         "\U0001f642", "::",   " "};
    std::string& text = texts_.emplace_back();
    for (std::uint64_t parts = pick(12); parts > 0; --parts) text += kParts[pick(kParts.size())];
    return text;
  }
  String string() { return pick(3) == 0 ? String(Inline{text()}) : String(text()); }
  std::span<const std::byte> bytes(std::uint64_t max) {
    auto& bytes = bytes_.emplace_back(pick(max));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random_());
    return bytes;
  }
  Value value() {
    switch (pick(11)) {
      case 1:
        return static_cast<std::int32_t>(random_());
      case 2:
        return static_cast<std::uint32_t>(random_());
      case 3:
        return static_cast<std::int64_t>(random_());
      case 4:
        return random_();
      case 5:
        return static_cast<double>(random_()) / 7;
      case 6:
        return string();
      case 7:
        return Pointer{random_()};
      case 8:
        return Koid{random_()};
      case 9:
        return pick(2) == 0;
      case 10:
        return Bytes{bytes(100)};
      default:
        return {};
    }
  }
  Arguments arguments() {
    std::vector<Argument> list(pick(16));
    for (Argument& argument : list)
      argument = {texts_.emplace_back(std::string(text()) + std::to_string(&argument - list.data())),
                  value()};
    return keep(std::move(list));
  }
  Arguments keep(std::vector<Argument> list) { return lists_.emplace_back(std::move(list)); }
  Arguments keep(std::initializer_list<std::pair<std::string, Value>> list) {
    std::vector<Argument> arguments;
    for (const auto& [name, value] : list) arguments.push_back({texts_.emplace_back(name), value});
    return keep(std::move(arguments));
  }

  std::mt19937_64 random_;
  std::deque<std::string> texts_;
  std::deque<std::vector<std::byte>> bytes_;
  std::deque<std::vector<std::uint64_t>> frames_;
  std::deque<std::vector<Argument>> lists_;
};

Record random_record(RecordMaker& make) {
  switch (make.pick(23)) {
    case 0:
      return make.blob();
    case 1:
      return make.object();
    case 2:
      return make.userspace_object();
    case 3:
      return make.legacy_switch();
    case 4:
      return make.context_switch();
    case 5:
      return make.wakeup();
    case 6:
      return make.log();
    case 7:
      return make.large_blob();
    case 8:
      return make.plain_blob();
    case 9:
      return make.module();
    case 10:
      return make.mmap();
    case 11:
      return make.backtrace();
    default:
      return make.event();
  }
}

void write(Writer& writer, const Record& record) {
  std::visit(
      [&writer](const auto& value) {
        if constexpr (requires { writer.write(value); }) writer.write(value);
      },
      record);
}

bool is_bookkeeping(const Record& record) {
  return std::holds_alternative<Magic>(record) || std::holds_alternative<ProviderInfo>(record) ||
         std::holds_alternative<Initialization>(record) || std::holds_alternative<StringRecord>(record) ||
         std::holds_alternative<ThreadRecord>(record);
}

class RoundTrip : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RoundTrip, RecordsAndWordsComeBackEqual) {
  RecordMaker make(GetParam());
  std::vector<Record> records;
  for (int i = 0; i < 300; ++i) records.push_back(random_record(make));
  const Words words = file_of([&](Writer& writer) {
    for (const Record& record : records) write(writer, record);
  });

  const auto bytes = bytes_of(words);
  Reader reader(bytes);
  std::size_t next = 0;
  const Words again = file_of([&](Writer& writer) {
    while (const Entry* entry = reader.next()) {
      EXPECT_TRUE(entry->problems.empty()) << describe(entry->problems[0]);
      if (is_bookkeeping(entry->record)) continue;
      ASSERT_LT(next, records.size());
      EXPECT_EQ(entry->record, records[next]) << "record " << next;
      ++next;
      write(writer, entry->record);
    }
  });
  EXPECT_EQ(next, records.size());
  EXPECT_EQ(reader.end().reason, ReadEnd::Reason::EndOfFile);
  EXPECT_EQ(words, again);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RoundTrip, testing::Range<std::uint64_t>(0, 40));

}  // namespace
}  // namespace fxt::test
