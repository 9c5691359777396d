// The string and thread tables of a Writer, and its providers. An index never changes its meaning. The
// entries must be registered again for each provider (rules W2, W3, W6 and W7). Internal to the Writer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fxt/hash.h"
#include "fxt/records.h"
#include "fxt/word_buffer.h"
#include "fxt/words.h"
#include "fxt/writer.h"

namespace fxt {

class WriterTables {
 public:
  WriterTables(WordBuffer& out, WriterCounters& counters) : out_(&out), counters_(&counters) {}
  // Must be called when the Writer has been moved, because its buffer and its counters are then at other
  // addresses.
  void move_to(WordBuffer& out, WriterCounters& counters) {
    out_ = &out;
    counters_ = &counters;
  }

  // ---- Providers ----

  // Announces a provider, writes its initialization, and makes it the current one.
  void begin_provider(std::uint32_t id, std::string_view name);
  // Makes an announced provider the current one. Registers again the references that must stay valid in all
  // providers.
  void switch_provider(std::uint32_t id);
  std::uint32_t provider() const { return providers_[provider_].id; }
  bool has_provider(std::uint32_t id) const { return place_of_.contains(id); }

  // ---- References of one record. These functions register the strings and threads. ----

  // Starts a record. Deletes the texts that were changed for the previous record.
  void begin_record() { changed_.clear(); }
  TextRef refer_to(const String& string);
  std::uint8_t refer_to(const Thread& thread);  // returns 0 if both koids follow inline
  // Returns `text` as it can be written: cut, and made valid UTF-8 without NUL.
  std::string_view clean(std::string_view text, std::size_t max_bytes);

  // ---- References that stay valid in all providers. The functions return nothing if the table is full. ----

  std::optional<std::uint16_t> string_ref(std::string_view text);
  std::optional<std::uint8_t> thread_ref(const Thread& thread);

  std::string_view text_of(std::uint64_t ref) const {
    return ref == 0 ? std::string_view() : *strings_[ref].text;
  }
  const Thread& thread_of(std::uint64_t ref) const { return threads_[ref].thread; }

 private:
  struct StringEntry {
    const std::string* text = nullptr;  // a key of string_table_
    bool for_good = false;
  };
  struct ThreadEntry {
    Thread thread;
    bool for_good = false;
  };
  struct LongText {
    std::uint16_t index = 0;   // 0 if the entry is empty
    std::string changed = {};  // the text that was passed to the Writer; empty if it was written unchanged
  };
  struct Provider {
    std::uint32_t id = 0;
    std::vector<bool> strings = {};  // by index: true if the string is registered
    std::vector<bool> threads = {};
  };

  void enter(std::size_t provider);
  template <typename T>
  void put(const T& record, std::size_t words);
  std::optional<std::uint16_t> index_of(std::string_view text);
  LongText* latest_at(std::string_view text);  // returns null for short texts
  std::optional<std::uint16_t> find_or_add(std::string_view text);
  std::optional<std::uint8_t> index_of(const Thread& thread);
  void register_string(std::size_t index);
  void register_thread(std::size_t index);

  WordBuffer* out_;
  WriterCounters* counters_;
  std::unordered_map<std::string, std::uint16_t, SeededHash, std::equal_to<>> string_table_;
  // The latest long text of each place. place_of_text() finds the place of a text. Often, the same long text
  // comes again, and comparing it is much faster than hashing it.
  std::vector<LongText> long_texts_;
  std::vector<StringEntry> strings_ = std::vector<StringEntry>(1);  // by index
  std::unordered_map<Thread, std::uint8_t, ThreadHash> thread_table_;
  std::vector<ThreadEntry> threads_ = std::vector<ThreadEntry>(1);
  // Index of the previous event's thread, because the next event often has the same thread. 0 for no thread.
  std::uint8_t last_thread_ = 0;
  std::vector<Provider> providers_;
  SeededMap<std::uint32_t, std::size_t> place_of_;  // index in providers_, by id
  std::size_t provider_ = 0;                        // index of the current provider
  std::forward_list<std::string> changed_;
};

}  // namespace fxt
