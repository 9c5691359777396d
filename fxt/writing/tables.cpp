// Registers strings and threads: once per provider and index, before the first use.
#include "fxt/writing/tables.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "fxt/checking/value_rules.h"
#include "fxt/writing/record_builder.h"

namespace fxt {
namespace {

// Sets a bit, and enlarges the vector if necessary. Returns false if the bit was already set.
bool mark(std::vector<bool>& known, std::size_t index) {
  if (index < known.size() && known[index]) return false;
  if (known.size() <= index) known.resize(index + 1);
  known[index] = true;
  return true;
}

}  // namespace

// Writes a record of `words` words that does not refer to strings or threads.
template <typename T>
void WriterTables::put(const T& record, std::size_t words) {
  RecordBuilder builder(std::span(out_->claim(words), words));
  layout(builder, record);
  builder.finish();
}

// ---- Providers ----

void WriterTables::begin_provider(std::uint32_t id, std::string_view name) {
  if (has_provider(id))
    throw WriterError("provider " + std::to_string(id) +
                      " was announced before; use switch_provider() to go back to this provider");
  const std::string_view text = clean(name, kMaxProviderNameBytes);
  put(ProviderInfo{.id = id, .name = text}, 1 + words_of(text.size()));
  put(Initialization{.ticks_per_second = kTicksPerSecond}, 2);
  place_of_.emplace(id, providers_.size());
  providers_.push_back({.id = id});
  enter(providers_.size() - 1);
}

void WriterTables::switch_provider(std::uint32_t id) {
  const auto place = place_of_.find(id);
  if (place == place_of_.end())
    throw WriterError("provider " + std::to_string(id) +
                      " was never announced; use begin_provider() to announce it");
  put(ProviderSection{.id = id}, 1);
  enter(place->second);
}

void WriterTables::enter(std::size_t provider) {
  provider_ = provider;
  last_thread_ = 0;
  for (std::size_t i = 1; i < strings_.size(); ++i)
    if (strings_[i].for_good) register_string(i);
  for (std::size_t i = 1; i < threads_.size(); ++i)
    if (threads_[i].for_good) register_thread(i);
}

// ---- Strings ----

TextRef WriterTables::refer_to(const String& string) {
  // A missing string becomes "?" and its index, so that different missing strings remain different.
  if (string.storage == Storage::Missing) {
    changed_.emplace_front(1, '?').append(std::to_string(string.index));
    return refer_to(String(changed_.front()));
  }
  if (string.text.empty()) return {};
  if (string.storage != Storage::Inline) {
    if (const auto index = index_of(string.text)) return TextRef::table(*index);
    ++counters_->inline_strings;
  }
  return TextRef::inlined(clean(string.text, kMaxStringBytes));
}

std::optional<std::uint16_t> WriterTables::string_ref(std::string_view text) {
  begin_record();
  if (text.empty()) return std::uint16_t{0};
  const auto index = index_of(text);
  if (index) strings_[*index].for_good = true;
  return index;
}

WriterTables::LongText* WriterTables::latest_at(std::string_view text) {
  constexpr std::size_t kLong = 128, kPlaces = 1024;
  if (text.size() < kLong) return nullptr;
  if (long_texts_.empty()) long_texts_.resize(kPlaces);
  return &long_texts_[place_of_text(text, kPlaces)];
}

std::optional<std::uint16_t> WriterTables::index_of(std::string_view text) {
  LongText* const latest = latest_at(text);
  if (latest != nullptr && latest->index != 0 &&
      text == (latest->changed.empty() ? *strings_[latest->index].text : latest->changed)) {
    register_string(latest->index);
    return latest->index;
  }
  const auto index = find_or_add(text);
  if (latest != nullptr && index) {
    latest->index = *index;
    latest->changed = *strings_[*index].text == text ? std::string_view() : text;
  }
  return index;
}

std::optional<std::uint16_t> WriterTables::find_or_add(std::string_view text) {
  auto entry = string_table_.find(text);
  if (entry == string_table_.end()) {
    if (strings_.size() > kMaxStringIndex) return std::nullopt;
    bool is_new = false;
    const WriterCounters before = *counters_;
    std::tie(entry, is_new) = string_table_.try_emplace(std::string(clean(text, kMaxStringBytes)),
                                                        static_cast<std::uint16_t>(strings_.size()));
    if (is_new)
      strings_.push_back({.text = &entry->first});
    else
      *counters_ = before;  // the changed text is already known, and was counted before
  }
  register_string(entry->second);
  return entry->second;
}

void WriterTables::register_string(std::size_t index) {
  if (!mark(providers_[provider_].strings, index)) return;
  const std::string& text = *strings_[index].text;
  put(StringRecord{.index = static_cast<std::uint16_t>(index), .text = text}, 1 + words_of(text.size()));
}

std::string_view WriterTables::clean(std::string_view text, std::size_t max_bytes) {
  std::string repaired;
  std::string_view written = as_written(text, max_bytes, repaired);
  if (text.size() > max_bytes || repaired.size() > max_bytes) ++counters_->cut_strings;
  if (repaired.empty()) return written;
  ++counters_->repaired_strings;
  const std::size_t size = written.size();
  written = changed_.emplace_front(std::move(repaired));
  return written.substr(0, size);
}

// ---- Threads ----

std::uint8_t WriterTables::refer_to(const Thread& thread) {
  // Readers do not support thread 0.
  if (thread.storage == Storage::Inline || thread.thread == 0) return 0;
  if (last_thread_ != 0 && threads_[last_thread_].thread == thread) return last_thread_;
  if (const auto index = index_of(thread)) return last_thread_ = *index;
  ++counters_->inline_threads;
  return 0;
}

std::optional<std::uint8_t> WriterTables::thread_ref(const Thread& thread) {
  const auto index = index_of(thread);
  if (index) threads_[*index].for_good = true;
  return index;
}

std::optional<std::uint8_t> WriterTables::index_of(const Thread& thread) {
  auto entry = thread_table_.find(thread);
  if (entry == thread_table_.end()) {
    if (threads_.size() > kMaxThreadIndex) return std::nullopt;
    entry = thread_table_.emplace(thread, static_cast<std::uint8_t>(threads_.size())).first;
    threads_.push_back({.thread = thread});
  }
  register_thread(entry->second);
  return entry->second;
}

void WriterTables::register_thread(std::size_t index) {
  if (!mark(providers_[provider_].threads, index)) return;
  const Thread& thread = threads_[index].thread;
  put(
      ThreadRecord{
          .index = static_cast<std::uint8_t>(index), .process = thread.process, .thread = thread.thread},
      3);
}

}  // namespace fxt
