#include "converters/uftrace/recording/task_file.h"

#include <cstddef>
#include <fmt/format.h>
#include <span>
#include <utility>

#include "converters/model/reading/byte_cursor.h"
#include "converters/uftrace/recording/note_kinds.h"
#include "fxt/support/memory_limit.h"

namespace convert::uftrace {
namespace {

constexpr std::uint64_t kLargestPid = 0x7fffffff;  // pid_t

std::uint64_t pid_field(LineReader& line, std::string_view what) {
  const std::uint64_t pid = line.decimal(what);
  if (pid > kLargestPid) line.fail(fmt::format("{} {} is too large", what, pid));
  return pid;
}

std::uint64_t timestamp(LineReader& line) {
  line.expect(" timestamp=");
  const std::uint64_t time_ns = line.seconds_as_ns("timestamp");
  if (time_ns >= kTimeLimitNs) line.fail("the timestamp is too large to be shown");
  return time_ns;
}

std::string sid_field(LineReader& line) {
  line.expect(" sid=");
  return std::string(line.word("sid"));
}

TaskEvent session_start(LineReader& line) {
  SessionStart session{.time_ns = timestamp(line)};
  if (!line.accept(" tid=")) line.expect(" pid=");  // old files write tid instead of pid
  session.pid = ProcessId{pid_field(line, "pid")};
  session.sid = sid_field(line);
  line.expect(" exename=");
  session.exename = line.quoted("exename");
  return session;
}

TaskEvent task_start(LineReader& line) {
  TaskStart task{.time_ns = timestamp(line)};
  line.expect(" tid=");
  task.tid = ThreadId{pid_field(line, "tid")};
  line.expect(" pid=");
  task.pid = ProcessId{pid_field(line, "pid")};
  return task;
}

TaskEvent fork(LineReader& line) {
  Fork fork{.time_ns = timestamp(line)};
  line.expect(" pid=");
  fork.child = ProcessId{pid_field(line, "pid")};
  line.expect(" ppid=");
  fork.parent = ProcessId{pid_field(line, "ppid")};
  return fork;
}

TaskEvent library_load(LineReader& line) {
  LibraryLoad load{.time_ns = timestamp(line)};
  line.expect(" tid=");
  load.tid = ThreadId{pid_field(line, "tid")};
  load.sid = sid_field(line);
  line.expect(" base=");
  load.base = line.hexadecimal("base");
  line.expect(" libname=");
  load.libname = line.quoted("libname");
  return load;
}

// ---- The binary form ----

constexpr std::uint16_t kMessageMagic = 0xface;
constexpr std::uint16_t kTaskStartMessage = 3;
constexpr std::uint16_t kForkEndMessage = 6;
constexpr std::uint16_t kSessionMessage = 7;
constexpr std::size_t kSidSize = 16;
constexpr std::size_t kNameAlignment = 8;

std::string text_of(std::span<const std::byte> bytes) {
  const std::string_view padded(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return std::string(padded.substr(0, padded.find('\0')));
}

void read_message(ByteCursor& in, std::vector<TaskEvent>& events) {
  const auto start = in.here();
  const auto magic = in.read<std::uint16_t>("message magic");
  if (magic != kMessageMagic)
    throw InputError(start,
                     fmt::format("not a task message: magic is {:#x}, expected {:#x}", magic, kMessageMagic));
  const auto type = in.read<std::uint16_t>("message type");
  const auto size = in.read<std::uint32_t>("message length");
  ByteCursor body = in.slice(size, "task message");
  if (type != kTaskStartMessage && type != kForkEndMessage && type != kSessionMessage) return;

  const auto time_ns = body.read<std::uint64_t>("timestamp");
  if (time_ns >= kTimeLimitNs)
    throw InputError(start, fmt::format("a timestamp of {} ns is too large to be shown", time_ns));
  const auto pid = body.read<std::uint32_t>("pid");
  const auto tid = body.read<std::uint32_t>("tid");
  if (type == kTaskStartMessage) {
    events.emplace_back(TaskStart{.time_ns = time_ns, .tid = ThreadId{tid}, .pid = ProcessId{pid}});
  } else if (type == kForkEndMessage) {
    events.emplace_back(Fork{.time_ns = time_ns, .child = ProcessId{tid}, .parent = ProcessId{pid}});
  } else {
    SessionStart session{.time_ns = time_ns, .pid = ProcessId{pid}};
    session.sid = text_of(body.read_bytes(kSidSize, "sid"));
    body.read<std::uint32_t>("unused word");
    const auto name_size = body.read<std::uint32_t>("exename length");
    if (name_size <= body.left()) {
      session.exename = text_of(body.read_bytes(name_size, "exename"));
    } else {  // the name follows the message, because the length of the message does not include it
      session.exename = text_of(in.read_bytes(name_size, "exename"));
      const std::size_t padding = (kNameAlignment - name_size % kNameAlignment) % kNameAlignment;
      in.read_bytes(padding, "exename padding");
    }
    events.emplace_back(std::move(session));
  }
}

}  // namespace

std::vector<TaskEvent> parse_task_text(std::string_view text, std::string_view path, Notes& notes) {
  std::vector<TaskEvent> events;
  read_lines(text, path, notes, [&](LineReader line) {
    if (line.accept("SESS")) {
      events.push_back(session_start(line));
    } else if (line.accept("TASK")) {
      events.push_back(task_start(line));
    } else if (line.accept("FORK")) {
      events.push_back(fork(line));
    } else if (line.accept("DLOP")) {
      events.push_back(library_load(line));
    } else if (!line.rest().empty() && !line.rest().starts_with('#')) {
      line.fail("expected SESS, TASK, FORK or DLOP");
    }
  });
  return events;
}

std::vector<TaskEvent> parse_task_binary(std::string_view bytes, std::string_view path, std::endian order,
                                         Notes& notes) {
  std::vector<TaskEvent> events;
  ByteCursor in(std::as_bytes(std::span(bytes)), path, order);
  try {
    while (!in.at_end()) {
      read_message(in, events);
      fxt::check_memory();
    }
  } catch (const InputError& damage) {
    notes.add(kDamagedLine, [&] { return std::string(damage.what()); });
  }
  return events;
}

std::vector<TaskEvent> read_task_file(const Directory& directory, std::endian order, Notes& notes) {
  const fxt::FilePlace binary = directory.file("task"), text = directory.file("task.txt");
  if (const auto bytes = read_optional_file(binary, notes))
    return parse_task_binary(*bytes, binary.text(), order, notes);
  std::string problem = text.text() + ": is missing";
  try {
    if (const auto lines = read_text_file(text)) return parse_task_text(*lines, text.text(), notes);
  } catch (const InputError& unreadable) {
    problem = unreadable.what();
  }
  notes.add(kNoTaskFile,
            [&] { return fmt::format("{}; threads are taken from the names of the .dat files", problem); });
  return {};
}

}  // namespace convert::uftrace
