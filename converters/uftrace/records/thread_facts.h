// What is known of a thread before its records are read.
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

// Where functions may lie, in any program that a thread runs, ran or will run.
class CodeAddresses {
 public:
  virtual ~CodeAddresses() = default;
  virtual bool contains(std::uint64_t address) const = 0;
};

// No record of a thread lies outside of these times.
struct PossibleTimes {
  std::uint64_t first_ns = 0;
  std::uint64_t last_ns = kForever;

  bool contain(std::uint64_t time_ns) const { return time_ns >= first_ns && time_ns <= last_ns; }
};

// Of a record file, in bytes. Several threads that had one id in turn have a part each.
struct FilePart {
  std::uint64_t begin = 0;
  std::uint64_t end = kForever;  // or where the file ends before
};

struct ThreadFacts {
  std::endian order = std::endian::little;
  std::size_t max_stack = 0;                       // depths the recorder may have written; 0 if unknown
  std::uint64_t begun_ns = 0;                      // when the thread may have begun; 0 if that is not known
  FilePart part = {};                              // of the file that has its records
  PossibleTimes times = {};                        // what other files tell of its times
  std::optional<std::uint64_t> elapsed_ns = {};    // how long the recording took, if that is known
  bool is_growing = false;                         // the recorder still writes the file
  bool has_estimated_exits = false;                // `uftrace record -e`: exits have guessed times
  std::shared_ptr<const CodeAddresses> code = {};  // null: functions may lie anywhere

  bool is_code(std::uint64_t address) const { return code == nullptr || code->contains(address); }
};

// Borrows both.
class TaskCode final : public CodeAddresses {
 public:
  TaskCode(Symbolizer& symbolizer, const Task& task) : symbolizer_(symbolizer), task_(task) {}
  bool contains(std::uint64_t address) const override { return symbolizer_.is_code(task_, address); }

 private:
  Symbolizer& symbolizer_;
  const Task& task_;
};

}  // namespace convert::uftrace
