#include "fxt/tools/entry_source.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "fxt/tools/time_text.h"
#include "fxt/tools/trace_files.h"

namespace fxt::tools {
namespace {

// If the trace does not have a wanted name, the message suggests similar names. At most kMostNames names, of
// at most kLongestName bytes, are compared with the wanted name.
constexpr std::size_t kLongestName = 200, kMostNames = 10'000;

// A record needs only two bytes to refer to a long text, but the programs compare and copy the text for each
// record. Therefore, the total size of the texts is limited.
constexpr Limit kLongTexts{"MiB of long texts in records", 4096 * kMiB, 400 * kKiB};

// Returns 0 if the size is not known.
std::uint64_t size_of_file(const std::string& path) {
  std::error_code unknown;
  const std::uint64_t size = std::filesystem::file_size(path, unknown);
  return unknown ? 0 : size;
}

}  // namespace

EntrySource::EntrySource(const std::string& path, const Selection& wanted, Sequence sequence)
    : path_(path),
      long_texts_(kLongTexts, size_of_file(path)),
      wanted_(wanted),
      window_(wanted.range.value_or(TimeRange{})) {
  std::error_code error;
  if (sequence == Sequence::ByTime && path != "-" && std::filesystem::is_regular_file(path, error)) {
    ordered_.emplace([path] { return open_trace(path); });
    return;
  }
  input_ = open_trace(path);
  if (sequence == Sequence::ByTime)
    ordered_.emplace(*input_);
  else
    reader_.emplace(*input_);
}

ExitCode report_end(const EntrySource& source, const char* program) {
  const std::string& file = source.path();
  const ReadEnd& end = source.reader().end();
  std::string problem = describe(end);
  if (!source.failure().empty()) {
    problem = source.failure();
  } else if (!problem.empty()) {
    problem = end.offset == 0
                  ? fmt::format("{}: not an FXT trace, because it does not start with the magic number", file)
                  : fmt::format("{}:+{:#x}: {}", file, end.offset, problem);
  } else if (end.reason == ReadEnd::Reason::EndOfFile && end.offset == 0) {
    problem = file + ": is empty";
  } else if (const std::string unmet = source.unmet(); !unmet.empty()) {
    problem = fmt::format("{}: {}", file, unmet);
  } else {
    return ExitCode::Done;
  }
  print_message(fmt::format("{}: {}\n", program, printable(problem)));
  return ExitCode::Failed;
}

namespace {

// True if the effect of the record may last until a later record. Complete events have their own end, and
// instants and flows have no length.
bool lasts_until_another(const Record& record) {
  const auto* const event = std::get_if<Event>(&record);
  return event == nullptr || (event->type != EventType::DurationComplete &&
                              event->type != EventType::Instant && event->type != EventType::FlowBegin &&
                              event->type != EventType::FlowStep && event->type != EventType::FlowEnd);
}

// Null if the record has no name. Also null for a kernel object, because its name is that of a process, a
// thread or another object.
const String* own_name(const Record& record) {
  if (std::holds_alternative<KernelObject>(record)) return nullptr;
  return std::visit(
      [](const auto& value) -> const String* {
        if constexpr (requires { value.name.text; }) return &value.name;
        return nullptr;
      },
      record);
}

}  // namespace

std::string outside_text(std::uint64_t first_ns, std::uint64_t last_ns) {
  return fmt::format("no event is in the requested range; the trace is from {} to {}", exact_time(first_ns),
                     exact_time(last_ns));
}

std::string EntrySource::unmet() const {
  if (has_threads() && !reaches_range_)
    return first_ns_ <= last_ns_ ? outside_text(first_ns_, last_ns_) : "has no event with a time";
  if (has_threads() && !has_names_) {
    std::vector<std::string> wanted;
    if (!wanted_.kinds.empty())
      wanted.push_back(fmt::format("the kind '{}'", fmt::join(wanted_.kinds, "' or '")));
    if (!wanted_.names.empty())
      wanted.push_back(fmt::format("the name '{}'", fmt::join(wanted_.names, "' or '")));
    if (!wanted_.categories.empty())
      wanted.push_back(fmt::format("the category '{}'", fmt::join(wanted_.categories, "' or '")));
    if (!wanted_.excluded.empty())
      wanted.push_back(fmt::format("a name other than '{}'", fmt::join(wanted_.excluded, "' or '")));
    const std::vector<std::string> similar = similar_.nearest();
    return fmt::format("has nothing with {}{}{}", fmt::join(wanted, " and "),
                       similar.empty() ? "" : "; similar names: ", fmt::join(similar, ", "));
  }
  if (missing_threads_.empty()) return {};
  constexpr std::size_t kListed = 3;
  std::string text =
      fmt::format("{} requested threads: {}", has_threads() ? "lacks these" : "has none of the",
                  fmt::join(missing_threads_, ", "));
  if (!threads_.empty())
    text += fmt::format("; its threads: {}",
                        fmt::join(threads_.begin(),
                                  std::next(threads_.begin(),
                                            static_cast<std::ptrdiff_t>(std::min(kListed, threads_.size()))),
                                  ", "));
  if (threads_.size() > kListed) text += fmt::format(" and {} more", threads_.size() - kListed);
  return text;
}

void EntrySource::look_for_wanted(const Record& record) {
  if (!missing_threads_.empty()) {
    for (const std::uint64_t id : threads_of(record)) {
      missing_threads_.erase(id);
      if (id != 0) threads_.insert(id);  // 0: the unknown thread before the first switch of a CPU
    }
  }
  // If options only exclude names, records without a name do not count as selected, and neither do records
  // that name a process or thread.
  const String* const name = own_name(record);
  const bool is_enough = names_.excluded.empty() || !names_.kinds.empty() || name != nullptr;
  has_names_ = has_names_ || (is_enough && names_.contains(record));
  const bool is_by_name = !wanted_.names.empty() && wanted_.kinds.empty() && wanted_.categories.empty();
  if (!has_names_ && is_by_name && name != nullptr && name->text.size() <= kLongestName &&
      other_names_.size() < kMostNames && other_names_.emplace(name->text).second)
    similar_.consider(std::string(name->text));
  const auto time_ns = time_of(record, reader());
  if (reaches_range_ || !time_ns) return;
  try {
    window_.side_of(*time_ns);
  } catch (const std::invalid_argument& error) {  // the range ends before it begins
    throw UsageError(fmt::format("--time-range: {}", error.what()));
  }
  const std::uint64_t end_ns = std::max(*time_ns, span_of(record, reader()).value_or(RecordSpan{}).end_ns);
  first_ns_ = std::min(first_ns_, *time_ns);
  last_ns_ = std::max(last_ns_, end_ns);
  has_lasting_records_ |= lasts_until_another(record);
  const bool may_last = has_lasting_records_ && first_ns_ <= window_.to() && last_ns_ >= window_.from();
  reaches_range_ = may_last || (*time_ns <= window_.to() && end_ns >= window_.from());
}

}  // namespace fxt::tools
