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
  // Returns "app 100", "app 100 / main 101", or "process 100" without a name. Unregistered ids: "?" or "?9".
  std::string text_of_process(std::uint64_t koid) const;
  std::string text_of_thread(std::uint64_t koid) const;  // for example "main 101"
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
  // Lines that count odd events; empty if there are none.
  std::vector<std::string> notes() const;

 private:
  Selection selection_;
  ObjectNames objects_;
};

}  // namespace fxt::tools
