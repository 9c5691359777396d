// Keeps the names of a Tracer. Encodes the start of the trace, and the records for strings and threads.
// Internal to the Tracer.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/checking/value_rules.h"
#include "fxt/format.h"
#include "fxt/header_words.h"
#include "fxt/records.h"
#include "fxt/writing/record_builder.h"
#include "fxt/writing/staged_file.h"

namespace fxt {

class TracerNames {
 public:
  // The index of a name in the string table. It stays the same in all later traces. If the table is full,
  // returns the index of "(other)".
  std::uint16_t index_of(std::string_view name) {
    std::string kept;
    name = as_written(name, kNameBytes, kept);
    if (name.empty()) return 0;
    if (const auto known = indices_.find(name); known != indices_.end()) return known->second;
    if (names_.size() == kMaxStringIndex) return static_cast<std::uint16_t>(kMaxStringIndex);
    const bool is_last = names_.size() + 1 == kMaxStringIndex;
    const auto index = static_cast<std::uint16_t>(names_.size() + 1);
    names_.push_back(&indices_.insert_or_assign(is_last ? "(other)" : std::string(name), index).first->first);
    add_name(index);
    return index;
  }

  // Starts a trace, and repeats the names that were used before.
  void start(std::uint64_t process, std::string_view process_name) {
    std::string kept;
    const std::string_view name = as_written(process_name, kObjectNameBytes, kept);
    sent_ = threads_ = 0;
    words_ = {kMagicRecord};
    add(ProviderInfo{.id = 1, .name = name});
    add(Initialization{.ticks_per_second = kTicksPerSecond});
    add_object(KernelObjectType::Process, process, name, 0);
    for (std::size_t i = 1; i <= names_.size(); ++i) add_name(i);
  }
  // Returns the index of a new thread, or 0 if the table is full.
  std::uint64_t add_thread(const Thread& thread) {
    if (threads_ == kMaxThreadIndex) return 0;
    add(ThreadRecord{
        .index = static_cast<std::uint8_t>(++threads_), .process = thread.process, .thread = thread.thread});
    return threads_;
  }
  void name_thread(const Thread& thread, std::string_view name) {
    add_object(KernelObjectType::Thread, thread.thread, name, thread.process);
  }

  // Writes the records that the file does not have yet.
  void send(StagedFile& file) {
    for (std::size_t size = 0; sent_ < words_.size(); sent_ += size) {
      size = RecordHeader::Size::get(words_[sent_]);
      std::copy_n(words_.begin() + static_cast<std::ptrdiff_t>(sent_), size, file.claim(size));
    }
  }
  // Must be called when the file has been emptied.
  void restart() { sent_ = 0; }

 private:
  static constexpr std::size_t kNameBytes = 1000, kObjectNameBytes = 128, kRecordWords = 160;

  template <typename T>
  void add(const T& record) {
    std::array<std::uint64_t, kRecordWords> room;
    RecordBuilder builder(room);
    layout(builder, record);
    const auto words = builder.finish();
    words_.insert(words_.end(), words.begin(), words.end());
  }
  void add_name(std::size_t index) {
    add(StringRecord{.index = static_cast<std::uint16_t>(index), .text = *names_[index - 1]});
  }
  void add_object(KernelObjectType type, std::uint64_t koid, std::string_view name, std::uint64_t process) {
    std::string kept;
    const std::string_view text = as_written(name, kObjectNameBytes, kept);
    const Argument argument{"process", Koid{process}};
    const std::span<const Argument> arguments(&argument, process != 0 ? 1 : 0);
    if (!text.empty()) add(KernelObject{.type = type, .koid = koid, .name = text, .arguments = arguments});
  }

  std::map<std::string, std::uint16_t, std::less<>> indices_;  // by name; 0 is the empty name
  std::vector<const std::string*> names_;                      // by index, from 1
  std::vector<std::uint64_t> words_;                           // the encoded records
  std::size_t sent_ = 0;  // number of words in words_ that are in the file
  std::uint64_t threads_ = 0;
};

}  // namespace fxt
