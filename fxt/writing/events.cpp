// Events as values.
#include <algorithm>

#include "fxt/checking/value_rules.h"
#include "fxt/writer.h"
#include "fxt/writing/event_order.h"
#include "fxt/writing/record_builder.h"
#include "fxt/writing/refusal.h"

namespace fxt {
namespace {

std::string describe(const Event& event) { return "event " + quoted(event.name.text); }

std::uint64_t end_of(const Event& event) {
  return event.type == EventType::DurationComplete ? event.end : event.time;
}

// Tracy takes no times from the others; flows lie in durations.
bool spans_the_trace(const Event& event) {
  return event.type <= EventType::DurationComplete || is_flow(event.type);
}

}  // namespace

void Writer::write(const Event& event) {
  if (event.type > EventType::FlowEnd)
    throw WriterError(describe(event) + ": event type " + std::to_string(code(event.type)) +
                      " does not exist");
  if (!options_.readers.empty() || event.arguments.size() > kMaxArguments) check_values(event);
  if (!options_.trust_nesting) {
    Refusal refusal(options_, "event", event.name.text);
    order_->check(event, refusal);
  }
  const std::uint64_t header = put_event(event);
  if (event.type == EventType::Counter && !options_.readers.empty()) counter_rules_->add(event);
  if (!options_.trust_nesting) order_->take(event, header);
  if (spans_the_trace(event)) span_.extend(event.time, end_of(event));
}

void Writer::check_values(const Event& event) const {
  check_times(event);
  Refusal refusal(options_, event.type == EventType::Counter ? "counter" : "event", event.name.text);
  refusal.thread(event.thread);
  refusal.arguments(event.arguments);
  if (event.type == EventType::Instant) check_instant(event.name.text, refusal);
  if (event.type == EventType::Counter) counter_rules_->check(event, refusal);
}

// Its words, in the spec's order. Returns the header.
std::uint64_t Writer::put_event(const Event& event) {
  RecordBuilder record = build("event", event.name.text);
  const ThreadRef thread = record.refer_to(event.thread);
  const TextRef category = record.refer_to(event.category), name = record.refer_to(event.name);
  record.refer_to(event.arguments);
  const std::uint64_t header =
      event_header(event.type, thread.ref, category.ref, name.ref, event.arguments.size(), 0);
  record.word(header);
  record.word(event.time);
  record.thread(thread);
  record.text(category);
  record.text(name);
  record.arguments(event.arguments);
  if (event.type == EventType::DurationComplete) record.word(event.end);
  if (event.type == EventType::Counter || is_async(event.type) || is_flow(event.type)) record.word(event.id);
  put(record);
  return header;
}

void Writer::check_times(const Event& event) const {
  Refusal refusal(options_, "event", event.name.text);
  const std::uint64_t end = end_of(event);
  check_time(event.time, refusal);
  check_time(end, refusal);
  if (ends_before_it_begins(event))
    refusal.fault(Fault::EndBeforeBegin, "ends at " + std::to_string(end) + " ns, before it begins at " +
                                             std::to_string(event.time) + " ns");
  if (spans_the_trace(event) && !span_.fits(event.time, end))
    refusal.fault(Fault::LongSpan, "from " + std::to_string(std::min(span_.first(), event.time)) + " to " +
                                       std::to_string(std::max(span_.last(), end)) +
                                       " ns, the trace spans 2^47 ns or more");
}

}  // namespace fxt
