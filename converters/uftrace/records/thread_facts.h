// The facts about a thread that are known before its records are read.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "converters/model/lanes/event.h"
#include "converters/uftrace/recording/sessions.h"
#include "converters/uftrace/symbols/symbolizer.h"

namespace convert::uftrace {

// The addresses of functions in all programs that a thread runs, one after the other.
class CodeAddresses {
 public:
  virtual ~CodeAddresses() = default;
  virtual bool contains(std::uint64_t address) const = 0;
};

// The range that contains the times of all records of a thread.
struct PossibleTimes {
  std::uint64_t first_ns = 0;
  std::uint64_t last_ns = kForever;

  bool contain(std::uint64_t time_ns) const { return time_ns >= first_ns && time_ns <= last_ns; }
};

// A part of a record file, in bytes. If an id was reused, each thread with this id has its own part.
struct FilePart {
  std::uint64_t begin = 0;
  std::uint64_t end = kForever;
};

struct ThreadFacts {
  std::endian order = std::endian::little;
  std::size_t max_stack = 0;   // the recorder's maximum number of open calls; 0 if unknown
  std::uint64_t begun_ns = 0;  // earliest possible start of the thread; 0 if unknown
  FilePart part = {};
  PossibleTimes times = {};                        // from task.txt, info and the perf files
  std::optional<std::uint64_t> elapsed_ns = {};    // length of the recording, if known
  bool is_growing = false;                         // the recorder is still writing the file
  bool has_estimated_exits = false;                // `uftrace record -e`: exits have estimated times
  std::shared_ptr<const CodeAddresses> code = {};  // null if functions may be at any address

  bool is_code(std::uint64_t address) const { return code == nullptr || code->contains(address); }
};

class TaskCode final : public CodeAddresses {
 public:
  TaskCode(Symbolizer& symbolizer, const Task& task) : symbolizer_(symbolizer), task_(task) {}
  bool contains(std::uint64_t address) const override { return symbolizer_.is_code(task_, address); }

 private:
  Symbolizer& symbolizer_;
  const Task& task_;
};

}  // namespace convert::uftrace
