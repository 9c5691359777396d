// The calls of a trace as the programs show them: those of the chosen threads and names, with the names of
// processes and threads.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fxt/pairing.h"
#include "fxt/reader.h"
#include "fxt/tools/selection.h"

namespace fxt::tools {

// "100/101", or "?9".
std::string numbers_of(const ThreadKey& key);

// Names of processes and threads, whatever is selected.
struct ObjectNames {
  std::map<std::uint64_t, std::string> processes = {}, threads = {};

  void add(const Record& record);
  // "app 100", "process 100" without a name; and "app 100 / main 101". "?" and "?9" of unregistered ones.
  std::string text_of_process(std::uint64_t koid) const;
  std::string text_of_thread(std::uint64_t koid) const;  // "main 101"
  std::string text_of(const ThreadKey& key) const;
};

// Whether the name stands for the time that a thread is off the cpu. A program may be called `sched`, too,
// but none of its functions is called so.
inline bool is_off_cpu(const CallName& name) {
  return name.category == "sched" && name.name.starts_with("linux:schedule");
}

class CallStream : public Pairing {
 public:
  enum class Kinds : std::uint8_t { Durations, DurationsAndAsyncs };
  // Async operations are chosen by the listener.
  CallStream(const Selection& selection, CallListener& listener, Kinds kinds = Kinds::Durations);

  // To be called with each record of an OrderedReader, as Pairing::add().
  bool add(const Entry& entry, const Reader& reader);
  const ObjectNames& objects() const { return objects_; }
  // Lines about odd events, if there are any.
  std::vector<std::string> notes() const;

 private:
  Selection selection_;
  ObjectNames objects_;
};

}  // namespace fxt::tools
