// The Writer as a whole: its start and end, providers, and the way for prepared events.
#include "fxt/writer.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include "fxt/checking/argument_rules.h"
#include "fxt/rules.h"
#include "fxt/utf8.h"
#include "fxt/writing/event_order.h"
#include "fxt/writing/record_builder.h"
#include "fxt/writing/refusal.h"
#include "fxt/writing/scheduled_names.h"

namespace fxt {
namespace {

constexpr const char* kRepeated = "two arguments have one name; Perfetto keeps one of them";

// Of a prepared argument.
struct Name {
  std::uint64_t ref = 0;
  std::span<const std::uint64_t> text = {};  // if it is inline
  bool is_inline() const { return StringRef::IsInline::get(ref) != 0; }
  friend bool operator==(const Name& a, const Name& b) {
    return a.ref == b.ref && std::ranges::equal(a.text, b.text);
  }
};

Name name_at(std::span<const std::uint64_t> words, std::size_t at) {
  Name name{.ref = ArgumentHeader::Name::get(words[at])};
  if (name.is_inline()) name.text = words.subspan(at + 1, words_of(StringRef::Value::get(name.ref)));
  return name;
}

std::size_t hash_of_inline(const Name& name) {
  std::span<const std::uint64_t> words = name.text;
  std::vector<std::uint64_t> stream;
  if constexpr (std::endian::native != std::endian::little) {
    stream.assign(words.begin(), words.end());
    reorder_stream(stream.data(), stream.data() + stream.size());
    words = stream;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(words.data()), words.size_bytes());
  return ArgumentNames::hash_of(bytes.substr(0, StringRef::Value::get(name.ref)));
}

}  // namespace

Writer::Writer(Output& output, const WriterOptions& options)
    : options_(options),
      buffer_(output),
      span_(is_refused(options, Fault::LongSpan) ? kSpanLimit : 0,
            is_refused(options, Fault::LateTime) ? kTimeLimit - 1 : ~std::uint64_t{0}),
      tables_(std::make_unique<WriterTables>(buffer_, counters_)),
      order_(std::make_unique<EventOrder>(*tables_)),
      counter_rules_(std::make_unique<CounterRules>()),
      names_(std::make_unique<ScheduledNames>()),
      scratch_(std::make_unique<RecordScratch>()) {
  *buffer_.claim(1) = kMagicRecord;
  begin_provider(options.provider_id, options.provider_name);
}

Writer::~Writer() = default;

Writer::Writer(Writer&& other) noexcept
    : options_(other.options_),
      counters_(other.counters_),
      buffer_(std::move(other.buffer_)),
      span_(other.span_),
      nestings_(other.nestings_),
      tables_(std::move(other.tables_)),
      order_(std::move(other.order_)),
      counter_rules_(std::move(other.counter_rules_)),
      names_(std::move(other.names_)),
      scratch_(std::move(other.scratch_)) {
  tables_->move_to(buffer_, counters_);
}

Writer& Writer::operator=(Writer&& other) noexcept {
  if (this == &other) return *this;
  std::destroy_at(this);
  return *std::construct_at(this, std::move(other));
}

void Writer::begin_provider(std::uint32_t id, std::string_view name) {
  if (id == 0) Refusal(options_, "provider", name).fault(Fault::ProviderZero, "has the id 0");
  tables_->begin_provider(id, name);
}

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
  return PreparedEvent(event_header(EventType::Instant, 0, *category_ref, *name_ref, 0, 0),
                       names_a_frame(name) && is_refused(options_, Fault::FrameMark));
}

std::optional<ThreadIndex> Writer::thread_index(std::uint64_t process, std::uint64_t thread) {
  const Thread wanted{.process = process, .thread = thread};
  Refusal refusal(options_, "thread_index()");
  check_thread(wanted, refusal);
  const auto index = tables_->thread_ref(wanted);
  if (!index) return std::nullopt;
  if (!options_.trust_nesting) nestings_[*index] = &order_->nesting_of(wanted);
  return ThreadIndex{*index};
}

std::optional<PreparedCounter> Writer::prepare_counter(std::string_view category, std::string_view name,
                                                       std::string_view series) {
  Refusal refusal(options_, "counter", name);
  const std::vector<Argument> value = {{series, 0}};
  counter_rules_->check({.type = EventType::Counter, .category = category, .name = name, .arguments = value},
                        refusal);
  const auto event = prepare(category, name);
  const auto ref = string_ref(series);
  if (!event || !ref) return std::nullopt;
  counter_rules_->add_series(name, series);
  return PreparedCounter{*event, *ref};
}

std::uint64_t* PreparedArguments::next(const TextRef& name, const TextRef& text) {
  for (const TextRef* const part : {&name, &text})
    if (part->inline_text.size() > kMaxStringBytes || repaired(part->inline_text))
      throw WriterError("inline text " + quoted(part->inline_text) +
                        " of an argument: readers take 32,000 bytes of UTF-8 without NUL");
  const std::size_t words = 2 + name.words() + text.words();  // or one less
  if (words > kMaxRecordWords) throw WriterError("an argument needs more than the 4095 words of a record");
  words_.resize(words_.size() + words);
  return words_.data() + words_.size() - words;
}

void PreparedArguments::commit(std::size_t start, const std::uint64_t* end) {
  words_.resize(static_cast<std::size_t>(end - words_.data()));
  const Name name = name_at(words_, start);
  bool is_new = true;
  for (std::size_t at = 0; at < start; at += ArgumentHeader::Size::get(words_[at]))
    is_new = is_new && name != name_at(words_, at);
  if (is_new && count_ < kMaxArguments) {
    ++count_;
    if (!name.is_inline()) ++in_table_;
    return;
  }
  words_.resize(start);
  throw WriterError(is_new ? "16 arguments: a record takes 15" : kRepeated);
}

bool Writer::names_one_twice(const PreparedArguments& arguments) const {
  std::vector<Name> names;
  std::deque<std::vector<std::uint64_t>> texts;  // of those in the table
  for (std::size_t at = 0; at < arguments.words().size();
       at += ArgumentHeader::Size::get(arguments.words()[at])) {
    Name name = name_at(arguments.words(), at);
    if (!name.is_inline()) {
      const TextRef text = TextRef::inlined(tables_->text_of(name.ref));
      auto& words = texts.emplace_back(text.words());
      put_inline(words.data(), text);
      name = {.ref = text.ref, .text = words};
    }
    if (std::ranges::find(names, name) != names.end()) return true;
    names.push_back(name);
  }
  return false;
}

std::uint32_t Writer::number_of(const PreparedArguments& arguments) const {
  if (options_.trust_nesting) return 0;
  const std::span<const std::uint64_t> words = arguments.words();
  ArgumentNames::Names& names = order_->argument_names().list();
  for (std::size_t at = 0; at < words.size(); at += ArgumentHeader::Size::get(words[at])) {
    const Name name = name_at(words, at);
    names.push_back(name.is_inline() ? hash_of_inline(name)
                                     : ArgumentNames::hash_of(tables_->text_of(name.ref)));
  }
  return order_->argument_names().number_of(names);
}

void Writer::check_names_of_begin(std::uint64_t header, std::uint64_t time,
                                  const PreparedArguments& arguments) const {
  const ThreadNesting* const nesting = nesting_of(header);
  if (nesting != nullptr && span_.fits(time, time) &&
      order_->argument_names().share(nesting->around(time).tag.arguments, number_of(arguments)))
    throw WriterError("event " + quoted(tables_->text_of(EventHeader::Name::get(header))) + ": " +
                      std::string(kNamedLikeItsBegin));
}

std::size_t Writer::size_with(std::uint64_t header, std::size_t words,
                              const PreparedArguments& arguments) const {
  const std::size_t size = words + arguments.words().size();
  if (size > kMaxRecordWords)
    throw WriterError("event " + quoted(tables_->text_of(EventHeader::Name::get(header))) +
                      ": its strings and arguments need more than the 4095 words of a record");
  const bool is_mixed = arguments.in_table_ != 0 && arguments.in_table_ != arguments.count();
  if (is_mixed && names_one_twice(arguments)) throw WriterError(kRepeated);
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

// The event is well-formed, so its times, its order or an instant's name break a rule.
void Writer::refuse(std::uint64_t header, std::uint64_t begin, std::uint64_t end) {
  const auto type = static_cast<EventType>(EventHeader::EventType::get(header));
  const Event event{.type = type,
                    .time = begin,
                    .thread = tables_->thread_of(EventHeader::Thread::get(header)),
                    .category = tables_->text_of(EventHeader::Category::get(header)),
                    .name = tables_->text_of(EventHeader::Name::get(header)),
                    .end = type == EventType::DurationComplete ? end : 0};
  check_times(event);
  Refusal refusal(options_, "event", event.name.text);
  if (type == EventType::Instant) check_instant(event.name.text, refusal);
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
