#include "fxt/checking/argument_rules.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "fxt/utf8.h"

namespace fxt {

std::string quoted(std::string_view name) { return '"' + std::string(cut_utf8(name, 100)) + '"'; }

std::size_t hash_of_names(const Event& event) {
  if (event.category.text.empty() && event.name.text.empty()) return 0;
  const std::hash<std::string_view> hash;
  return hash(event.category.text) * 31 + hash(event.name.text);
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
