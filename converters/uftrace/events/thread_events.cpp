#include "converters/uftrace/events/thread_events.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "converters/model/reading/load.h"

namespace convert::uftrace {
namespace {

constexpr std::uint64_t kWatchCpu = 100011, kWatchVariable = 100012, kCallSite = 100013;

struct Field {
  std::string_view counter;     // a series of the counter; unique on its own
  std::string_view difference;  // argument of the call that closes
};

// Each is read at the entry of a function; at its exit the difference is recorded.
struct Reading {
  std::uint64_t read_id, difference_id;
  std::string_view name;
  bool is_of_thread;  // not of the whole process
  std::array<Field, 3> fields;

  std::size_t size() const { return fields[2].counter.empty() ? 2 : 3; }
};

constexpr std::array<Reading, 5> kReadings{{
    {100001,
     100003,
     "memory",
     false,
     {{{"vmsize KB", "diff.vmsize"}, {"vmrss KB", "diff.vmrss"}, {"shared KB", "diff.shared"}}}},
    {100002,
     100004,
     "page-fault",
     false,
     {{{"major faults", "diff.major"}, {"minor faults", "diff.minor"}, {}}}},
    {100005,
     100006,
     "pmu-cycle",
     true,
     {{{"cycles", "diff.cycles"}, {"instructions", "diff.instructions"}, {}}}},
    {100007,
     100008,
     "pmu-cache",
     true,
     {{{"cache references", "diff.cache-references"}, {"cache misses", "diff.cache-misses"}, {}}}},
    {100009,
     100010,
     "pmu-branch",
     true,
     {{{"branches", "diff.branches"}, {"branch misses", "diff.branch-misses"}, {}}}},
}};

constexpr std::size_t kWord = sizeof(std::uint64_t);

std::string hex_of(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

}  // namespace

// A number of 1 to 8 bytes.
std::uint64_t ThreadEvents::load(std::span<const std::byte> bytes) const {
  std::array<std::byte, kWord> word{};
  std::ranges::copy(bytes, shop_.order == std::endian::big ? word.end() - std::ssize(bytes) : word.begin());
  return convert::load<std::uint64_t>(word.data(), shop_.order);
}

void ThreadEvents::count(std::uint64_t time_ns, NameId name, std::uint64_t id, Lane* lane) {
  if (lane != nullptr) lane->counter(time_ns, label(name), id, values_);
  values_.clear();
}

bool ThreadEvents::take_values(std::uint64_t id, std::uint64_t time_ns, std::span<const std::byte> data,
                               Lane* lane) {
  const auto reading = std::ranges::find_if(
      kReadings, [&](const Reading& r) { return r.read_id == id || r.difference_id == id; });
  if (reading == kReadings.end() || data.size() < reading->size() * kWord) return false;
  for (std::size_t i = 0; i < reading->size(); ++i) {
    const std::uint64_t value = load(data.subspan(i * kWord, kWord));
    const Field& field = reading->fields[i];
    if (id == reading->read_id) {
      values_.add({shop_.names.intern(field.counter), value});
    } else {
      for_exit_.add({shop_.names.intern(field.difference), static_cast<std::int64_t>(value)});
    }
  }
  if (id == reading->read_id)
    count(time_ns, shop_.names.intern(reading->name),
          reading->is_of_thread ? static_cast<std::uint64_t>(task_.tid) : 0, lane);
  return true;
}

NameId ThreadEvents::variable_at(std::uint64_t address, std::uint64_t time_ns) {
  symbols_.move_to(time_ns);
  const auto [known, is_new] = variables_.try_emplace({symbols_.epoch(), address});
  if (is_new) {
    const SymbolAt place = symbols_.at(address);
    known->second = shop_.names.intern(place.symbol != nullptr ? demangle(place.symbol->name, shop_.demangle)
                                                               : fmt::format("<{:x}>", address));
  }
  return known->second;
}

bool ThreadEvents::take_variable(std::uint64_t time_ns, std::span<const std::byte> data, Lane* lane) {
  if (data.size() <= shop_.word_size || data.size() > shop_.word_size + kWord) return false;
  const NameId name = variable_at(load(data.first(shop_.word_size)), time_ns);
  values_.add({name, load(data.subspan(shop_.word_size))});
  count(time_ns, name, 0, lane);
  return true;
}

std::string ThreadEvents::name_of_user_event(std::uint64_t id, std::uint64_t time_ns) {
  const auto known = shop_.user_events.find(id);
  if (known == shop_.user_events.end()) return fmt::format("event:{}", id);
  if (time_ns < told_.from_ns || time_ns >= told_.until_ns) told_ = shop_.programs.take(task_, time_ns);
  return known->second;
}

bool ThreadEvents::take(std::uint64_t id, std::uint64_t time_ns, std::span<const std::byte> data,
                        Lane* lane) {
  if (id == kWatchCpu) {
    if (data.size() < sizeof(std::int32_t)) return false;
    const NameId cpu = shop_.names.intern("cpu");
    const auto number = static_cast<std::int32_t>(load(data.first(sizeof(std::int32_t))));
    values_.add({cpu, std::int64_t{number}});
    count(time_ns, cpu, static_cast<std::uint64_t>(task_.tid), lane);
    return true;
  }
  if (id == kWatchVariable) return take_variable(time_ns, data, lane);
  if (id == kCallSite) {
    if (data.size() < kWord) return false;
    for_entry_.clear();
    for_entry_.add({shop_.names.intern("callsite"), Pointer{load(data.first(kWord))}});
    return true;
  }
  if (id < kFirstUserEvent) return take_values(id, time_ns, data, lane);

  const std::string name = name_of_user_event(id, time_ns);
  if (!data.empty()) values_.add({shop_.names.intern("data"), hex_of(data)});
  if (lane != nullptr) lane->instant(time_ns, label(shop_.names.intern(name)), values_);
  values_.clear();
  return true;
}

void ThreadEvents::add_to_entry(Arguments& arguments) {
  arguments.add(for_entry_.row());
  forget();
}

void ThreadEvents::add_to_exit(Arguments& arguments) {
  arguments.add(for_exit_.row());
  forget();
}

}  // namespace convert::uftrace
