// The start and end of a Writer, its providers, and the fast functions for prepared events.
#include "fxt/writer.h"

#include <utility>

#include "fxt/writing/record_builder.h"

namespace fxt {

Writer::Writer(Output& output, const WriterOptions& options)
    : buffer_(output),
      tables_(std::make_unique<WriterTables>(buffer_, counters_)),
      scratch_(std::make_unique<RecordScratch>()) {
  *buffer_.claim(1) = kMagicRecord;
  begin_provider(options.provider_id, options.provider_name);
}

Writer::~Writer() = default;

Writer::Writer(Writer&& other) noexcept
    : counters_(other.counters_),
      buffer_(std::move(other.buffer_)),
      tables_(std::move(other.tables_)),
      scratch_(std::move(other.scratch_)) {
  tables_->move_to(buffer_, counters_);
}

Writer& Writer::operator=(Writer&& other) noexcept {
  if (this == &other) return *this;
  std::destroy_at(this);
  return *std::construct_at(this, std::move(other));
}

void Writer::begin_provider(std::uint32_t id, std::string_view name) {
  tables_->begin_provider(id, name);
  buffer_.end_record();
}

void Writer::switch_provider(std::uint32_t id) {
  tables_->switch_provider(id);
  buffer_.end_record();
}

std::optional<std::uint16_t> Writer::string_ref(std::string_view text) { return tables_->string_ref(text); }

std::optional<PreparedEvent> Writer::prepare(std::string_view category, std::string_view name) {
  const auto category_ref = string_ref(category), name_ref = string_ref(name);
  if (!category_ref || !name_ref) return std::nullopt;
  return PreparedEvent(event_header(EventType::Instant, 0, *category_ref, *name_ref, 0, 0));
}

std::optional<ThreadIndex> Writer::thread_index(std::uint64_t process, std::uint64_t thread) {
  const auto index = tables_->thread_ref({.process = process, .thread = thread});
  return index ? std::optional(ThreadIndex{*index}) : std::nullopt;
}

void Writer::finish() {
  flush();
  buffer_.finish();
}

}  // namespace fxt
