#include "converters/uftrace/records/thread_facts.h"

namespace convert::uftrace {

ThreadFacts facts_of(const Task& task, const Info& info, Symbolizer& symbolizer) {
  ThreadFacts facts{.order = info.order,
                    .max_stack = info.max_stack.value_or(0),
                    .elapsed_ns = elapsed_ns(info),
                    .is_code = [&](std::uint64_t address) { return symbolizer.is_code(task, address); }};
  if (task.fork_ns)
    facts.begun_ns = *task.fork_ns;
  else if (!task.sessions.empty() && task.sessions.front().session != nullptr)
    facts.begun_ns = task.sessions.front().session->start_ns;
  return facts;
}

}  // namespace convert::uftrace
