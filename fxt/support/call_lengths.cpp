#include "fxt/support/call_lengths.h"

#include <bit>

namespace fxt {
namespace {

constexpr unsigned kDigits = 17;
constexpr std::uint64_t kExact = std::uint64_t{1} << kDigits;  // shorter lengths are not rounded

}  // namespace

// The number of binary digits that rounding removes from the lengths in `part_`. Not used for kWhole, because
// the number then differs from length to length.
unsigned CallLengths::shift() const {
  const auto width = static_cast<unsigned>(std::bit_width(part_.width_ns() - 1));
  return width > kDigits ? width - kDigits : 0;
}

std::size_t CallLengths::index_of(std::uint64_t length_ns) const {
  if (!is_whole()) return (length_ns - part_.begin_ns) >> shift();
  if (length_ns < kExact) return length_ns;
  const unsigned left_out = static_cast<unsigned>(std::bit_width(length_ns)) - kDigits;
  // The lengths with 18 binary digits have kExact / 2 intervals. So do the lengths with 19 digits, and so on.
  return left_out * (kExact / 2) + (length_ns >> left_out);
}

CallLengths::Interval CallLengths::interval_at(std::size_t index) const {
  const auto interval = [](std::uint64_t digits, unsigned left_out) {
    const std::uint64_t begin_ns = digits << left_out;
    return Interval{begin_ns, begin_ns + (std::uint64_t{1} << left_out)};
  };
  if (!is_whole()) {
    const Interval inside = interval(index, shift());
    return {part_.begin_ns + inside.begin_ns, std::min(part_.begin_ns + inside.end_ns, part_.end_ns)};
  }
  if (index < kExact) return interval(index, 0);
  const auto left_out = static_cast<unsigned>(index / (kExact / 2) - 1);
  return interval(index - left_out * (kExact / 2), left_out);
}

std::int64_t& CallLengths::Table::words_at(std::size_t index) {
  if (index / kPage >= pages.size()) pages.resize(index / kPage + 1);
  auto& page = pages[index / kPage];
  if (page == nullptr) page = std::make_unique<Page>();
  return (*page)[index % kPage];
}

CallLengths::Table& CallLengths::table_of_thread() {
  const std::lock_guard lock(mutex_);
  auto found = std::ranges::find(threads_, std::this_thread::get_id());
  if (found == threads_.end()) found = threads_.insert(found, std::this_thread::get_id());
  return tables_[static_cast<std::size_t>(found - threads_.begin()) % tables_.size()];
}

void CallLengths::add(std::span<const Entry> entries) {
  Table& table = table_of_thread();
  const std::lock_guard lock(table.mutex);
  for (const Entry& entry : entries) {
    if (entry.names >= table.longest.size()) table.longest.resize(2 * std::size_t{entry.names} + 2);
    std::uint64_t& longest = table.longest[entry.names];
    longest = std::max(longest, entry.length_ns + 1);
    if (entry.words != 0 && part_.contains(entry.length_ns))
      table.words_at(index_of(entry.length_ns)) += entry.words;
  }
}

// By name: the length of the longest call with this name, plus 1; 0 if no call has the name.
std::vector<std::uint64_t> CallLengths::longest_of_names(const NameWords& names) const {
  std::vector<std::uint64_t> longest;
  const auto lengthen = [&](std::size_t index, std::uint64_t length) {
    if (index >= longest.size()) longest.resize(2 * index + 1);
    longest[index] = std::max(longest[index], length);
  };
  for (const Table& table : tables_)
    for (std::size_t i = Entry::kNone + 1; i < table.longest.size(); ++i) {
      if (table.longest[i] == 0) continue;
      if (const auto id = static_cast<std::uint32_t>((i - 1) / 2); i == Entry::of_name(id))
        lengthen(id, table.longest[i]);
      else
        for (const std::uint32_t name : names.names_of(id)) lengthen(name, table.longest[i]);
    }
  return longest;
}

CallLengths::Fitting CallLengths::fit(std::int64_t words, std::int64_t words_above,
                                      const NameWords& names) const {
  struct Named {
    std::size_t index;
    std::int64_t words;
  };
  std::vector<Named> named;
  const std::vector<std::uint64_t> longest = longest_of_names(names);
  for (std::size_t name = 0; name < longest.size(); ++name)
    if (longest[name] != 0 && part_.contains(longest[name] - 1))
      if (const std::int64_t added = names.words_of(static_cast<std::uint32_t>(name)); added != 0)
        named.push_back({index_of(longest[name] - 1), added});
  std::ranges::sort(named, {}, &Named::index);

  Fitting fitting{.shortest_ns = part_.end_ns, .words = words_above};
  std::size_t page_count = 0;
  for (const Table& table : tables_) page_count = std::max(page_count, table.pages.size());
  for (std::size_t page = page_count; page-- > 0;) {
    std::vector<const Page*> pages;
    for (const Table& table : tables_)
      if (page < table.pages.size() && table.pages[page] != nullptr) pages.push_back(table.pages[page].get());
    if (pages.empty()) continue;
    for (std::size_t i = kPage; i-- > 0;) {
      const std::size_t index = page * kPage + i;
      std::int64_t added = 0;
      for (const Page* const counts : pages) added += (*counts)[i];
      bool is_empty = added == 0;
      for (; !named.empty() && named.back().index == index; named.pop_back()) {
        added += named.back().words;
        is_empty = false;
      }
      if (is_empty) continue;
      const Interval interval = interval_at(index);
      if (fitting.words + added > words) {
        fitting.too_short = interval;
        return fitting;
      }
      fitting.words += added;
      fitting.shortest_ns = interval.begin_ns;
    }
  }
  if (is_whole()) fitting.shortest_ns = 0;
  return fitting;
}

}  // namespace fxt
