// The Writer as a whole: its start and end, providers, and the way for prepared events.
#include "fxt/writer.h"

#include <memory>
#include <utility>

#include "fxt/checking/value_rules.h"
#include "fxt/rules.h"
#include "fxt/utf8.h"
#include "fxt/writing/event_order.h"
#include "fxt/writing/record_builder.h"
#include "fxt/writing/refusal.h"

namespace fxt {

Writer::Writer(Output& output, const WriterOptions& options)
    : options_(options),
      buffer_(output),
      span_(is_refused(options, Fault::LongSpan) ? kSpanLimit : 0,
            is_refused(options, Fault::LateTime) ? kTimeLimit - 1 : ~std::uint64_t{0}),
      tables_(std::make_unique<WriterTables>(buffer_, counters_)),
      order_(std::make_unique<EventOrder>(*tables_)),
      counter_rules_(std::make_unique<CounterRules>()),
      names_(std::make_unique<ThreadNames>()),
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
      switched_(std::move(other.switched_)),
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

bool Writer::ends_innermost(const ThreadNesting& nesting, std::uint64_t time, std::uint64_t names) const {
  return !order_->check_end(nesting, time, names);
}

void Writer::judge(std::uint64_t header, std::uint64_t begin, std::uint64_t end) {
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
  if (options_.trust_nesting) return;
  order_->check(event, refusal);
  order_->add(event, header);
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
