#include "fxt/checking/argument_rules.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <type_traits>

#include "fxt/utf8.h"

namespace fxt {
namespace {

// The value as a number; nothing if it is none.
std::optional<double> number_of(const Value& value) {
  return std::visit(
      []<typename T>(const T& number) -> std::optional<double> {
        if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) return static_cast<double>(number);
        return std::nullopt;
      },
      value);
}

}  // namespace

std::string quoted(std::string_view name) { return '"' + std::string(cut_utf8(name, 100)) + '"'; }

std::size_t hash_of_names(const Event& event) {
  if (event.category.text.empty() && event.name.text.empty()) return 0;
  const std::hash<std::string_view> hash;
  return hash(event.category.text) * 31 + hash(event.name.text);
}

bool is_numeric(const Value& value) { return number_of(value).has_value(); }

std::string_view fault_of_known_counter(std::string_view category, std::string_view name,
                                        const Arguments& arguments) {
  if (category != "power" || name != "cpu_frequency") return "";
  bool has_cpu = false, has_value = false;
  for (const Argument& argument : arguments) {
    const auto number = number_of(argument.value);
    if (argument.name.text == "cpu") {
      has_cpu = true;
      if (!number || std::holds_alternative<double>(argument.value) || *number < 0 || *number > kMaxCpu)
        return "its argument \"cpu\" is no number of a cpu";
    } else if (argument.name.text == "value") {
      has_value = true;
      if (!number || !std::isfinite(*number) || *number < 0) return "its argument \"value\" is no frequency";
    } else {
      return "it has another argument than \"cpu\" and \"value\"";
    }
  }
  if (!has_cpu) return "it has no argument \"cpu\"";
  return has_value ? "" : "it has no argument \"value\"";
}

const Argument* repeated_argument(const Arguments& arguments) {
  for (std::size_t i = 1; i < arguments.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (arguments[i].name.text == arguments[k].name.text && arguments[i].name.storage != Storage::Missing &&
          arguments[k].name.storage != Storage::Missing)
        return &arguments[i];
  return nullptr;
}

std::optional<ArgumentType> type_of_scheduling_argument(SchedulingType record, std::string_view name) {
  if (record == SchedulingType::ContextSwitch)
    return name == kIncomingWeight || name == kOutgoingWeight ? std::optional(ArgumentType::Int32)
                                                              : std::nullopt;
  if (name == kWakeupWeight) return ArgumentType::Int32;
  if (name == "waker") return ArgumentType::Koid;
  return std::nullopt;
}

bool is_idle(const Arguments& arguments, std::string_view weight) {
  return std::ranges::any_of(arguments, [&](const Argument& argument) {
    const auto* const value = std::get_if<std::int32_t>(&argument.value);
    return value != nullptr && *value == kIdleWeight && argument.name.text == weight;
  });
}

bool uses_cpu(const ContextSwitch& context_switch) {
  return !is_idle(context_switch.arguments, kOutgoingWeight) ||
         !is_idle(context_switch.arguments, kIncomingWeight);
}

bool uses_cpu(const ThreadWakeup& wakeup) { return !is_idle(wakeup.arguments, kWakeupWeight); }

std::size_t ArgumentNames::Hash::operator()(const Names& names) const {
  return std::accumulate(names.begin(), names.end(), std::size_t{0},
                         [](std::size_t hash, std::size_t name) { return hash * 31 + name; });
}

std::uint32_t ArgumentNames::number_of(const Names& names) {
  if (names.empty()) return 0;
  const auto [entry, is_new] = numbers_.try_emplace(names, static_cast<std::uint32_t>(names_.size() + 1));
  if (is_new) names_.push_back(&entry->first);
  return entry->second;
}

std::uint32_t ArgumentNames::number_of(const Arguments& arguments) {
  Names& names = list();
  for (const Argument& argument : arguments)
    if (argument.name.storage != Storage::Missing) names.push_back(hash_of(argument.name.text));
  return number_of(names);
}

bool ArgumentNames::share(std::uint32_t a, std::uint32_t b) const {
  if (a == 0 || b == 0) return false;
  const Names &names = *names_[a - 1], &others = *names_[b - 1];
  return std::ranges::find_first_of(names, others) != names.end();
}

}  // namespace fxt
