#include "converters/tfile/program/kernel_symbols.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include "converters/model/reading/input_error.h"
#include "converters/tfile/description/numbers.h"

namespace convert::tfile {
namespace {

// Code further behind the last symbol than this belongs to something else.
constexpr std::uint64_t kLongestFunction = std::uint64_t{1} << 20;

}  // namespace

KernelSymbols::KernelSymbols(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file)
    throw InputError(Location::file(path.string()),
                     "cannot be opened: " + std::generic_category().message(errno));
  for (std::string line; std::getline(file, line);) {
    std::string_view rest = line;
    const auto address = hex_number(take_field(rest, ' '));
    const std::string_view type = take_field(rest, ' ');
    const std::string_view name = rest.substr(0, rest.find_first_of(" \t\r"));
    if (!address || type.size() != 1 || name.empty()) continue;
    is_symbol_list_ = true;
    if (*address == 0) continue;
    constexpr std::string_view kCode = "tTwW", kData = "dDbBrRvV";
    if (kCode.find(type) != std::string_view::npos)
      functions_.push_back({*address, std::string(name)});
    else if (kData.find(type) != std::string_view::npos)
      objects_.try_emplace(std::string(name), DataObject{*address, 0});
  }
  if (!is_symbol_list_) throw InputError(Location::file(path.string()), "not a list of a kernel's symbols");
  std::ranges::stable_sort(functions_, {}, &Function::address);
}

CodeInfo KernelSymbols::code_at(std::uint64_t address) const {
  const auto behind = std::ranges::upper_bound(functions_, address, {}, &Function::address);
  CodeInfo place;
  if (behind == functions_.begin()) return place;
  // Of several names at one address the first one listed.
  const std::uint64_t begin = std::prev(behind)->address;
  if (address - begin < kLongestFunction)
    place.function = std::ranges::lower_bound(functions_, begin, {}, &Function::address)->name;
  return place;
}

std::optional<DataObject> KernelSymbols::object(std::uint64_t, const std::string& name) const {
  const auto found = objects_.find(name);
  return found != objects_.end() ? std::optional(found->second) : std::nullopt;
}

}  // namespace convert::tfile
