// What is known of a thread before its records are read.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "converters/uftrace/recording/info.h"
#include "converters/uftrace/recording/sessions.h"
#include "converters/uftrace/symbols/symbolizer.h"

namespace convert::uftrace {

// Where functions may lie, in any program that a thread runs, ran or will run.
class CodeAddresses {
 public:
  virtual ~CodeAddresses() = default;
  virtual bool contains(std::uint64_t address) const = 0;
};

struct ThreadFacts {
  std::endian order = std::endian::little;
  std::size_t max_stack = 0;                       // depths the recorder may have written; 0 if unknown
  std::uint64_t begun_ns = 0;                      // when the thread may have begun; 0 if that is not known
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

// Borrows the task and the symbolizer.
inline ThreadFacts facts_of(const Task& task, const Info& info, Symbolizer& symbolizer, bool is_growing) {
  ThreadFacts facts{.order = info.order,
                    .max_stack = info.max_stack.value_or(0),
                    .elapsed_ns = elapsed_ns(info),
                    .is_growing = is_growing,
                    .has_estimated_exits = info.has<FeatureBits::EstimateReturn>(),
                    .code = std::make_shared<TaskCode>(symbolizer, task)};
  if (task.fork_ns)
    facts.begun_ns = *task.fork_ns;
  else if (!task.sessions.empty() && task.sessions.front().session != nullptr)
    facts.begun_ns = task.sessions.front().session->start_ns;
  return facts;
}

}  // namespace convert::uftrace
