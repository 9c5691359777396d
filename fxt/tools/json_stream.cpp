#include "fxt/tools/json_stream.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <fmt/format.h>
#include <iterator>
#include <type_traits>
#include <utility>
#include <variant>

#include "fxt/checking/value_rules.h"

namespace fxt::tools {
namespace {

constexpr std::string_view kJsonHead = R"({"displayTimeUnit":"ns","traceEvents":[)";
constexpr std::size_t kSentBytes = std::size_t{32} << 10, kMostHeldBytes = std::size_t{96} << 10;
constexpr std::string_view kMembers = ",\"args\":{";

void append_us(TextBuffer& out, std::uint64_t ns) {
  constexpr std::uint64_t kNsPerUs = 1000;
  append_number(out, ns / kNsPerUs);
  // adds a digit 1 before the others, so that leading zeros are kept; the 1 is not printed
  const std::uint64_t rest = ns % kNsPerUs + kNsPerUs;
  const fmt::format_int digits(rest);
  out.push_back('.');
  append_text(out, std::string_view(digits.data(), digits.size()).substr(1));
}

void append_hexadecimal(TextBuffer& out, std::uint64_t number) { append(out, "\"{:#x}\"", number); }

std::string_view phase_of(EventType type) {
  switch (type) {
    case EventType::Instant:
      return "i";
    case EventType::Counter:
      return "C";
    case EventType::DurationBegin:
      return "B";
    case EventType::DurationEnd:
      return "E";
    case EventType::DurationComplete:
      return "X";
    case EventType::AsyncBegin:
      return "b";
    case EventType::AsyncInstant:
      return "n";
    case EventType::AsyncEnd:
      return "e";
    case EventType::FlowBegin:
      return "s";
    case EventType::FlowStep:
      return "t";
    case EventType::FlowEnd:
      return "f";
  }
  return {};
}

// The default scope of an instant is its thread.
std::string_view scope_of(const Event& event) {
  switch (event.scope.value_or(InstantScope::Thread)) {
    case InstantScope::Global:
      return R"(,"s":"g")";
    case InstantScope::Process:
      return R"(,"s":"p")";
    default:
      return R"(,"s":"t")";
  }
}

// ---- Arguments ----

struct JsonValue {
  TextBuffer& out;
  bool is_curve;  // true for a counter, which needs numbers even if JavaScript rounds them

  // Larger integers are not exact in JavaScript.
  static constexpr std::uint64_t kLargestNumber = std::uint64_t{1} << 53;

  void operator()(std::monostate) const { append_text(out, "null"); }
  void operator()(std::int64_t value) const {
    if (value >= 0) return (*this)(static_cast<std::uint64_t>(value));
    const bool is_number = is_curve || value >= -static_cast<std::int64_t>(kLargestNumber);
    append(out, "{0}{1}{0}", is_number ? "" : "\"", value);
  }
  void operator()(std::uint64_t value) const {
    const std::string_view quote = is_curve || value <= kLargestNumber ? "" : "\"";
    append_text(out, quote);
    append_number(out, value);
    append_text(out, quote);
  }
  void operator()(std::int32_t value) const { (*this)(std::int64_t{value}); }
  void operator()(std::uint32_t value) const { (*this)(std::uint64_t{value}); }
  void operator()(double value) const {
    if (std::isfinite(value))
      append(out, "{}", value);
    else
      append_text(out, std::isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"");
  }
  void operator()(const String& value) const { append_json_string(out, value.text); }
  void operator()(Pointer value) const { append_hexadecimal(out, value.address); }
  void operator()(Koid value) const { (*this)(value.koid); }
  void operator()(bool value) const { append_text(out, value ? "true" : "false"); }
  void operator()(const Bytes& value) const {
    out.push_back('"');
    for (const std::byte byte : value.bytes) append(out, "{:02x}", std::to_integer<unsigned>(byte));
    out.push_back('"');
  }
  void operator()(const UnknownValue& /*value*/) const { append_text(out, "null"); }
};

// True if the value is a finite number. In JSON, only such values can be points of a counter's curve.
bool is_point(const Argument& argument) {
  return std::visit(
      [](const auto& value) {
        if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>)
          return std::isfinite(static_cast<double>(value));
        return false;
      },
      argument.value);
}

// A member name can occur only once in an object, so a repeated name gets a number.
void append_member_name(TextBuffer& out, const Arguments& arguments, std::size_t number) {
  const std::string_view name = arguments[number].name.text;
  std::size_t same = 1;
  for (std::size_t i = 0; i < number; ++i) same += std::size_t{arguments[i].name.text == name};
  if (same == 1)
    append_json_string(out, name);
  else
    append_json_string(out, fmt::format("{} ({})", name, same));
  out.push_back(':');
}

// Appends the arguments as members, after a separator. Returns false if there are no members.
bool append_members(TextBuffer& out, const Event& event, std::string_view separator) {
  const bool is_curve = event.type == EventType::Counter;
  bool has_members = false;
  for (std::size_t i = 0; i < event.arguments.size(); ++i) {
    const Argument& argument = event.arguments[i];
    if (is_curve && !is_point(argument)) continue;
    append_text(out, has_members ? "," : separator);
    has_members = true;
    append_member_name(out, event.arguments, i);
    std::visit(JsonValue{out, is_curve}, argument.value);
  }
  return has_members;
}

// In chrome://tracing, the first event of a counter determines which curves it has. Therefore, an event with
// a single value gets a counter of its own, for example "plot:size" for the value "size" of "plot".
std::string name_of_counter(const Event& event) {
  const auto first = std::ranges::find_if(event.arguments, is_point);
  const bool is_alone =
      std::ranges::count_if(event.arguments, is_point) == 1 && first->name.text != event.name.text;
  return is_alone ? fmt::format("{}:{}", event.name.text, first->name.text) : std::string(event.name.text);
}

}  // namespace

bool is_json_trace(const std::string& path) {
  const InputWithHead input(open_input(path), kJsonHead.size());
  try {
    if (input.failure() != nullptr) std::rethrow_exception(input.failure());
  } catch (const DamagedFile&) {
    return false;
  }
  return input.head() == kJsonHead;
}

JsonStream::JsonStream(std::unique_ptr<ByteStream> next) : next_(std::move(next)) {
  append_text(text_, kJsonHead);
}

void JsonStream::write(std::span<const std::byte> bytes) {
  records_.add(bytes, [this](const Entry* entry, std::span<const std::byte> /*bytes*/) {
    if (entry != nullptr) add(entry->record);
    if (text_.size() >= (begins_.empty() ? kSentBytes : kMostHeldBytes)) send();
  });
}

void JsonStream::finish() {
  append_text(text_, "\n]}\n");
  send();
  next_->finish();
}

void JsonStream::send() {
  next_->write(std::as_bytes(std::span(text_.data(), text_.size())));
  text_.clear();
  begins_.clear();
}

void JsonStream::add(const Record& record) {
  const std::string before = std::exchange(blob_, {});
  if (const auto* const event = std::get_if<Event>(&record)) return add_event(*event);
  if (const auto* const object = std::get_if<KernelObject>(&record);
      object != nullptr &&
      (object->type == KernelObjectType::Process || object->type == KernelObjectType::Thread))
    return add_name(*object);
  // Providers, and hints for Perfetto, do not count as left out.
  if (is_of_writer(record) || std::holds_alternative<ProviderInfo>(record) ||
      std::holds_alternative<ProviderSection>(record))
    return;
  if (const auto* const blob = std::get_if<Blob>(&record)) {
    blob_ = blob->name.text;
    if (blob->type == BlobType::Perfetto || blob_ == before) return;
  }
  ++left_out_;
}

std::size_t JsonStream::begin_object(std::string_view phase, std::uint64_t process,
                                     std::optional<std::uint64_t> thread) {
  append_text(text_, has_objects_ ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
  has_objects_ = true;
  const std::size_t place = text_.size();
  append_text(text_, phase);
  append_text(text_, "\",\"pid\":");
  append_number(text_, process);
  if (thread) {
    append_text(text_, ",\"tid\":");
    append_number(text_, *thread);
  }
  return place;
}

void JsonStream::add_name(const KernelObject& object) {
  if (object.type == KernelObjectType::Process) {
    begin_object("M", object.koid, std::nullopt);
    append_text(text_, R"(,"name":"process_name")");
  } else {
    const bool has_process =
        !object.arguments.empty() && std::holds_alternative<Koid>(object.arguments[0].value);
    begin_object("M", has_process ? std::get<Koid>(object.arguments[0].value).koid : object.koid,
                 object.koid);
    append_text(text_, R"(,"name":"thread_name")");
  }
  append_text(text_, R"(,"args":{"name":)");
  append_json_string(text_, object.name.text);
  append_text(text_, "}}");
}

void JsonStream::add_event(const Event& event) {
  const bool has_no_point =
      event.type == EventType::Counter && std::ranges::none_of(event.arguments, is_point);
  if (has_no_point || ends_before_it_begins(event)) {
    ++left_out_;
    return;
  }
  if (event.time != begins_time_) begins_.clear();
  begins_time_ = event.time;
  if (event.type == EventType::DurationEnd && end_at_begin(event)) return;
  const std::size_t phase = begin_object(phase_of(event.type), event.thread.process, event.thread.thread);
  append_text(text_, ",\"ts\":");
  append_us(text_, event.time);
  if (event.type == EventType::DurationComplete) {
    append_text(text_, ",\"dur\":");
    append_us(text_, event.end - event.time);
  }
  append_text(text_, ",\"cat\":");
  append_json_string(text_, event.category.text);
  append_text(text_, ",\"name\":");
  if (event.type == EventType::Counter)
    append_json_string(text_, name_of_counter(event));
  else
    append_json_string(text_, event.name.text);
  // Viewers show the ids of counters, so the id 0 is left out for counters.
  if (has_id(event.type) && (event.id != 0 || event.type != EventType::Counter)) {
    append_text(text_, ",\"id\":");
    append_hexadecimal(text_, event.id);
  }
  if (event.type == EventType::Instant) append_text(text_, scope_of(event));
  // Makes the flow end in the call that is open at this time. Otherwise, it would end in the next call.
  if (event.type == EventType::FlowEnd) append_text(text_, ",\"bp\":\"e\"");
  const bool has_members = append_members(text_, event, kMembers);
  append_text(text_, has_members ? "}}" : "}");
  if (event.type == EventType::DurationBegin)
    begins_.push_back(
        {.thread = event.thread, .phase = phase, .end = text_.size(), .has_members = has_members});
}

// If the times are equal, readers of JSON put ends before begins. Therefore, a call of no length becomes one
// object. Otherwise, its end would come first.
bool JsonStream::end_at_begin(const Event& event) {
  const auto found = std::ranges::find(begins_.rbegin(), begins_.rend(), event.thread, &Begin::thread);
  if (found == begins_.rend()) return false;
  const Begin begin = *found;
  begins_.erase(std::next(found).base());
  const std::string after(text_.data() + begin.end, text_.size() - begin.end);
  text_.resize(begin.end - (begin.has_members ? 2 : 1));
  const bool has_members =
      append_members(text_, event, begin.has_members ? "," : kMembers) || begin.has_members;
  append_text(text_, has_members ? R"(},"dur":0.000})" : R"(,"dur":0.000})");
  text_[begin.phase] = 'X';
  const std::size_t moved = text_.size() - begin.end;
  append_text(text_, after);
  for (Begin& other : begins_)
    if (other.phase >= begin.end) {
      other.phase += moved;
      other.end += moved;
    }
  return true;
}

}  // namespace fxt::tools
