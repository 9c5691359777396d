// The Writer's bookkeeping: the start of the file, providers, and the string and thread tables, in which an
// index never changes its meaning (fxt-notes W1, W2, W3, W6, W7).
#include <algorithm>
#include <tuple>

#include "fxt/utf8.h"
#include "fxt/writer.h"
#include "fxt/writing/record_builder.h"

namespace fxt {

Writer::Writer(Output& output, const WriterOptions& options)
    : options_(options),
      output_(&output),
      span_limit_(options.long_spans ? kTimeLimit : kSpanLimit),
      record_(std::make_unique<std::array<std::uint64_t, kMaxRecordWords>>()) {
  flush();  // fetches the first buffer
  append(std::array{kMagicRecord});
  begin_provider(options.provider_id, options.provider_name);
}

// ---- Providers ----

void Writer::begin_provider(std::uint32_t id, std::string_view name) {
  if (id == 0) throw WriterError("provider id 0: ids start at 1");
  if (std::ranges::find(providers_, id, &Provider::id) != providers_.end())
    throw WriterError("provider " + std::to_string(id) +
                      " was announced before; switch_provider() goes back to it");
  const std::string_view text = clean(name, kMaxProviderNameBytes);
  Builder record(*record_, "provider", text);
  record.word(ProviderInfoHeader::Type::put(code(RecordType::Metadata)) |
              ProviderInfoHeader::MetadataType::put(code(MetadataType::ProviderInfo)) |
              ProviderInfoHeader::ProviderId::put(id) | ProviderInfoHeader::NameLength::put(text.size()));
  record.text(text);
  append(record.finish());
  append(std::array{
      InitializationHeader::Type::put(code(RecordType::Initialization)) | InitializationHeader::Size::put(2),
      kTicksPerSecond});
  providers_.push_back({.id = id, .strings = {}, .threads = {}});
  enter(providers_.size() - 1);
}

void Writer::switch_provider(std::uint32_t id) {
  const auto provider = std::ranges::find(providers_, id, &Provider::id);
  if (provider == providers_.end())
    throw WriterError("provider " + std::to_string(id) + " was never announced; begin_provider() does it");
  append(std::array{ProviderSectionHeader::Type::put(code(RecordType::Metadata)) |
                    ProviderSectionHeader::Size::put(1) |
                    ProviderSectionHeader::MetadataType::put(code(MetadataType::ProviderSection)) |
                    ProviderSectionHeader::ProviderId::put(id)});
  enter(static_cast<std::size_t>(provider - providers_.begin()));
}

// Each provider has its own tables; what was handed out must be good in all of them.
void Writer::enter(std::size_t provider) {
  provider_ = provider;
  last_thread_ = {};
  for (const std::uint16_t index : handed_out_strings_) register_string(index);
  for (const std::uint8_t index : handed_out_threads_) register_thread(index);
}

void Writer::buffer_full() {
  append(std::array{ProviderEventHeader::Type::put(code(RecordType::Metadata)) |
                    ProviderEventHeader::Size::put(1) |
                    ProviderEventHeader::MetadataType::put(code(MetadataType::ProviderEvent)) |
                    ProviderEventHeader::ProviderId::put(providers_[provider_].id) |
                    ProviderEventHeader::EventId::put(code(ProviderEventId::BufferFull))});
}

// ---- Strings ----

TextRef Writer::refer_to(const String& string) {
  if (string.text.empty()) return {};
  if (string.storage != Storage::Inline) {
    if (const auto index = string_index(string.text)) return TextRef::table(*index);
    ++counters_.inline_strings;
  }
  return TextRef::inlined(clean(string.text, kMaxStringBytes));
}

const Writer::ArgumentUses& Writer::refer_to(Arguments arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    ArgumentUse& use = argument_uses_[i];
    use.name = refer_to(arguments[i].name);
    const auto* const text = std::get_if<String>(&arguments[i].value);
    use.text = text == nullptr ? TextRef{} : refer_to(*text);
  }
  return argument_uses_;
}

std::optional<std::uint16_t> Writer::string_index(std::string_view text) {
  auto entry = string_table_.find(text);
  if (entry == string_table_.end()) {
    if (strings_.size() == kMaxStringIndex) return std::nullopt;
    const std::string_view cleaned = clean(text, kMaxStringBytes);
    const auto next = static_cast<std::uint16_t>(strings_.size() + 1);
    bool is_new = false;
    std::tie(entry, is_new) = string_table_.try_emplace(std::string(cleaned), next);
    if (is_new) strings_.push_back(&entry->first);
  }
  register_string(entry->second);
  return entry->second;
}

// Writes the string record, unless the current provider has it.
void Writer::register_string(std::uint16_t index) {
  std::vector<bool>& known = providers_[provider_].strings;
  if (index < known.size() && known[index]) return;
  const std::string_view text = *strings_[index - 1U];
  Builder record(*record_, "string", text);
  record.word(StringHeader::Type::put(code(RecordType::String)) | StringHeader::Index::put(index) |
              StringHeader::Length::put(text.size()));
  record.text(text);
  append(record.finish());
  if (known.size() <= index) known.resize(index + 1U);
  known[index] = true;
}

std::optional<std::uint16_t> Writer::string_ref(std::string_view text) {
  if (text.empty()) return std::uint16_t{0};
  const auto index = string_index(text);
  if (index) handed_out_strings_.push_back(*index);
  cleaned_.clear();
  return index;
}

std::optional<PreparedEvent> Writer::prepare(std::string_view category, std::string_view name) {
  const auto category_ref = string_ref(category);
  const auto name_ref = string_ref(name);
  if (!category_ref || !name_ref) return std::nullopt;
  return PreparedEvent(event_header(EventType::Instant, 0, *category_ref, *name_ref, 0, 0));
}

// `text` as it may be written; changed texts live in cleaned_.
std::string_view Writer::clean(std::string_view text, std::size_t max_bytes) {
  const std::string_view whole = text;
  text = cut_utf8(text, max_bytes);
  if (!is_valid_utf8(text)) {
    ++counters_.repaired_strings;
    // Replacing can make it longer, so it may have to be cut again.
    const std::string& valid = cleaned_.emplace_back(make_valid_utf8(text));
    const std::string_view cut = cut_utf8(valid, max_bytes);
    if (text.size() < whole.size() || cut.size() < valid.size()) ++counters_.cut_strings;
    return cut;
  }
  if (text.size() < whole.size()) ++counters_.cut_strings;
  return text;
}

// ---- Threads ----

Writer::ThreadUse Writer::refer_to(const Thread& thread) {
  if (thread.storage != Storage::Inline) {
    // Events mostly come in runs of one thread.
    if (last_thread_.ref != 0 && last_thread_.thread == thread) return last_thread_;
    if (const auto index = index_of(thread)) {
      const ThreadUse use{*index, thread};
      if (thread != kIdleThread) last_thread_ = use;  // which events must not have
      return use;
    }
    ++counters_.inline_threads;
  }
  process_of_.try_emplace(thread.thread, thread.process);
  return {0, thread};
}

std::optional<std::uint8_t> Writer::index_of(const Thread& thread) {
  auto entry = thread_table_.find(thread);
  if (entry == thread_table_.end()) {
    if (threads_.size() == kMaxThreadIndex) return std::nullopt;
    const auto next = static_cast<std::uint8_t>(threads_.size() + 1);
    entry = thread_table_.emplace(thread, next).first;
    threads_.push_back(thread);
    process_of_.try_emplace(thread.thread, thread.process);
  }
  register_thread(entry->second);
  return entry->second;
}

// Writes the thread record, unless the current provider has it.
void Writer::register_thread(std::uint8_t index) {
  std::vector<bool>& known = providers_[provider_].threads;
  if (index < known.size() && known[index]) return;
  const Thread& thread = threads_[index - 1U];
  append(std::array{ThreadHeader::Type::put(code(RecordType::Thread)) | ThreadHeader::Size::put(3) |
                        ThreadHeader::Index::put(index),
                    thread.process, thread.thread});
  if (known.size() <= index) known.resize(index + 1U);
  known[index] = true;
}

std::optional<ThreadIndex> Writer::thread_index(std::uint64_t process, std::uint64_t thread) {
  const Thread wanted{.process = process, .thread = thread};
  check_thread("thread_index()", wanted);
  const auto index = index_of(wanted);
  if (!index) return std::nullopt;
  handed_out_threads_.push_back(*index);
  if (!options_.trust_nesting) stacks_[*index] = &durations_.stack_of(wanted);
  return ThreadIndex{*index};
}

}  // namespace fxt
