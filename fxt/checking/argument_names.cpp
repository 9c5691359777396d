// Lists of names, each kept once.
#include "fxt/checking/argument_names.h"

#include <algorithm>
#include <numeric>

namespace fxt {

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
