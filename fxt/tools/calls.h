// The calls that the tools show: those on selected threads and with selected names. Also keeps the names of
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

// Returns "100/101", for example, or "?9" for an unregistered thread.
std::string numbers_of(const ThreadKey& key);

// Names of processes and threads, regardless of the selection.
struct ObjectNames {
  std::map<std::uint64_t, std::string> processes = {}, threads = {};

  void add(const Record& record);
  // Returns "app 100", for example, "process 100" if the process has no name, or "?" for kUnregistered.
  std::string text_of_process(std::uint64_t koid) const;
  std::string text_of_thread(std::uint64_t koid) const;  // for example "main 101"
  // Returns "app 100 / main 101", for example, or "?9" for an unregistered thread.
  std::string text_of(const ThreadKey& key) const;
};

inline bool is_off_cpu(const CallName& name) { return is_off_cpu(name.category, name.name); }

class CallStream : public Pairing {
 public:
  enum class Kinds : std::uint8_t { Durations, DurationsAndAsyncs };
  // If async operations are wanted, the listener must set Call::is_chosen of each of them.
  CallStream(const Selection& selection, CallListener& listener, Kinds kinds = Kinds::Durations);

  // Must be called with each record of an OrderedReader, like Pairing::add().
  bool add(const Entry& entry, const Reader& reader);
  const ObjectNames& objects() const { return objects_; }
  // Returns the counts of odd() as text: a line for each count that is not 0.
  std::vector<std::string> notes() const;

 private:
  Selection selection_;
  ObjectNames objects_;
};

}  // namespace fxt::tools
