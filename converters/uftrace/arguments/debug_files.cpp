#include "converters/uftrace/arguments/debug_files.h"

#include <optional>
#include <utility>

#include "converters/uftrace/recording/text_file.h"

namespace convert::uftrace {
namespace {

// The module of traced Python programs, whose addresses lie in no map.
constexpr std::string_view kPython = "python.fake";

}  // namespace

const DebugFile* DebugFiles::of(const SymbolAt& place) {
  if (directory_.debug_files.empty() || place.symbol == nullptr) return nullptr;
  const void* const key = place.module != nullptr    ? static_cast<const void*>(place.module)
                          : place.library != nullptr ? static_cast<const void*>(place.library)
                                                     : nullptr;
  if (key == nullptr && place.category != kPython) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] = known_.try_emplace(key, nullptr);
  if (!is_new) return known->second;

  const auto name = place.module != nullptr    ? files_.of_module(place.module->path, place.module->build_id)
                    : place.library != nullptr ? files_.of_library(place.library->path)
                                               : std::optional(std::string(kPython) + ".dbg");
  if (!name) return nullptr;
  const auto [file, is_unread] = read_.try_emplace(*name);
  if (is_unread) {
    const auto path = directory_.path / *name;
    auto text = read_optional_file(path, notes_);
    if (text) file->second = std::make_unique<DebugFile>(std::move(*text), path.native(), notes_);
  }
  return known->second = file->second.get();
}

}  // namespace convert::uftrace
