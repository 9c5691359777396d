// The Writer as a whole: its start and end, providers, and the way for prepared events.
#include "fxt/writer.h"

#include "fxt/checking/argument_rules.h"
#include "fxt/writing/event_order.h"
#include "fxt/writing/record_builder.h"
#include "fxt/writing/value_rules.h"

namespace fxt {

Writer::Writer(Output& output, const WriterOptions& options)
    : options_(options),
      buffer_(output),
      span_(options.long_spans ? kTimeLimit : kSpanLimit),
      tables_(std::make_unique<WriterTables>(buffer_, counters_)),
      order_(std::make_unique<EventOrder>(*tables_)),
      rules_(std::make_unique<ValueRules>()),
      scratch_(std::make_unique<RecordScratch>()) {
  *buffer_.claim(1) = kMagicRecord;
  begin_provider(options.provider_id, options.provider_name);
}

Writer::~Writer() = default;

void Writer::begin_provider(std::uint32_t id, std::string_view name) { tables_->begin_provider(id, name); }

void Writer::switch_provider(std::uint32_t id) { tables_->switch_provider(id); }

void Writer::buffer_full() {
  *buffer_.claim(1) = ProviderEventHeader::Type::put(code(RecordType::Metadata)) |
                      ProviderEventHeader::Size::put(1) |
                      ProviderEventHeader::MetadataType::put(code(MetadataType::ProviderEvent)) |
                      ProviderEventHeader::ProviderId::put(tables_->provider()) |
                      ProviderEventHeader::EventId::put(code(ProviderEventId::BufferFull));
}

// ---- Prepared events ----

std::optional<std::uint16_t> Writer::string_ref(std::string_view text) { return tables_->string_ref(text); }

std::optional<PreparedEvent> Writer::prepare(std::string_view category, std::string_view name) {
  const auto category_ref = string_ref(category), name_ref = string_ref(name);
  if (!category_ref || !name_ref) return std::nullopt;
  return PreparedEvent(event_header(EventType::Instant, 0, *category_ref, *name_ref, 0, 0));
}

std::optional<ThreadIndex> Writer::thread_index(std::uint64_t process, std::uint64_t thread) {
  const Thread wanted{.process = process, .thread = thread};
  check_thread("thread_index()", wanted);
  const auto index = tables_->thread_ref(wanted);
  if (!index) return std::nullopt;
  if (!options_.trust_nesting) nestings_[*index] = &order_->nesting_of(wanted);
  return ThreadIndex{*index};
}

std::optional<PreparedCounter> Writer::prepare_counter(std::string_view category, std::string_view name,
                                                       std::string_view series) {
  rules_->check_series(name, series);
  const auto event = prepare(category, name);
  const auto ref = string_ref(series);
  if (!event || !ref) return std::nullopt;
  rules_->counter_of_series.emplace(series, name);
  return PreparedCounter{*event, *ref};
}

std::uint64_t* PreparedArguments::next(std::size_t words) {
  words_.resize(words_.size() + words);
  return words_.data() + words_.size() - words;
}

void PreparedArguments::take(std::size_t start, const std::uint64_t* end) {
  words_.resize(static_cast<std::size_t>(end - words_.data()));
  const auto name_of = [this](std::size_t at) {
    const std::uint64_t ref = ArgumentHeader::Name::get(words_[at]);
    const std::size_t bytes = StringRef::IsInline::get(ref) != 0 ? StringRef::Value::get(ref) : 0;
    return std::pair(ref, std::span(words_).subspan(at + 1, words_of(bytes)));
  };
  const auto [ref, text] = name_of(start);
  bool is_new = true;
  for (std::size_t at = 0; at < start; at += ArgumentHeader::Size::get(words_[at])) {
    const auto [other_ref, other_text] = name_of(at);
    is_new = is_new && (ref != other_ref || !std::ranges::equal(text, other_text));
  }
  if (is_new && count_ < kMaxArguments) {
    ++count_;
    return;
  }
  words_.resize(start);
  throw WriterError(is_new ? "16 arguments: a record takes 15"
                           : "two arguments have one name; Perfetto keeps one of them");
}

std::size_t Writer::size_with(std::uint64_t header, std::size_t words,
                              const PreparedArguments& arguments) const {
  const std::size_t size = words + arguments.words().size();
  if (size > kMaxRecordWords)
    throw WriterError("event " + quoted(tables_->text_of(EventHeader::Name::get(header))) +
                      ": its strings and arguments need more than the 4095 words of a record");
  return size;
}

std::uint64_t* Writer::put_event(std::uint64_t header, std::size_t size, std::uint64_t time,
                                 const PreparedArguments& arguments) {
  std::uint64_t* const words = buffer_.claim(size);
  words[0] = header | EventHeader::Size::put(size) | EventHeader::ArgumentCount::put(arguments.count());
  words[1] = time;
  return std::ranges::copy(arguments.words(), words + 2).out;
}

bool Writer::ends_innermost(const ThreadNesting& nesting, std::uint64_t time, std::uint64_t names) const {
  return order_->check_end(nesting, time, names) == Misplaced::No;
}

// The event was well-formed; what remains is its times and its place.
void Writer::refuse(std::uint64_t header, std::uint64_t begin, std::uint64_t end) {
  const auto type = static_cast<EventType>(EventHeader::EventType::get(header));
  const Event event{.type = type,
                    .time = begin,
                    .thread = tables_->thread_of(EventHeader::Thread::get(header)),
                    .category = tables_->text_of(EventHeader::Category::get(header)),
                    .name = tables_->text_of(EventHeader::Name::get(header)),
                    .end = type == EventType::DurationComplete ? end : 0};
  check_times(event);
  throw WriterError("event " + quoted(event.name.text) + ": " + order_->objection(event));
}

// ---- The end ----

void Writer::finish() {
  order_->finish(
      span_.last(), [this](const Event& event) { put_event(event); },
      [this](const Thread& thread, std::uint64_t time, std::uint64_t names) {
        put_event(Event{.type = EventType::DurationEnd,
                        .time = time,
                        .thread = thread,
                        .category = tables_->text_of(EventHeader::Category::get(names)),
                        .name = tables_->text_of(EventHeader::Name::get(names))});
      });
  flush();
  buffer_.finish();
}

}  // namespace fxt
