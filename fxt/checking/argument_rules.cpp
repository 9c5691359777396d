// What readers make of arguments.
#include "fxt/checking/argument_rules.h"

#include <functional>

#include "fxt/utf8.h"

namespace fxt {

std::string quoted(std::string_view name) { return '"' + std::string(cut_utf8(name, 100)) + '"'; }

std::size_t hash_of_names(const Event& event) {
  if (event.category.text.empty() && event.name.text.empty()) return 0;
  const std::hash<std::string_view> hash;
  return hash(event.category.text) * 31 + hash(event.name.text);
}

bool is_numeric(const Value& value) {
  return std::holds_alternative<std::int32_t>(value) || std::holds_alternative<std::uint32_t>(value) ||
         std::holds_alternative<std::int64_t>(value) || std::holds_alternative<std::uint64_t>(value) ||
         std::holds_alternative<double>(value);
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
    return name == "incoming_weight" || name == "outgoing_weight" ? std::optional(ArgumentType::Int32)
                                                                  : std::nullopt;
  if (name == "weight") return ArgumentType::Int32;
  if (name == "waker") return ArgumentType::Koid;
  return std::nullopt;
}

}  // namespace fxt
