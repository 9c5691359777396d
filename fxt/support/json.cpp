#include "fxt/support/json.h"

#include <algorithm>
#include <fmt/format.h>

namespace fxt {
namespace {

constexpr std::size_t kStep = 2;

void append_break(TextBuffer& out, std::optional<std::size_t> indent) {
  if (indent) append(out, "\n{:{}}", "", *indent);
}

}  // namespace

Json::Json(const std::vector<std::string>& texts) : kind_(Kind::Array), values_(texts.begin(), texts.end()) {}

Json::Json(std::initializer_list<std::pair<std::string_view, Json>> members) : kind_(Kind::Object) {
  for (const auto& [name, value] : members) {
    names_.emplace_back(name);
    values_.push_back(value);
  }
}

Json& Json::operator[](std::string_view name) {
  if (is_null()) kind_ = Kind::Object;
  const auto found = std::ranges::find(names_, name);
  if (found != names_.end()) return values_[static_cast<std::size_t>(found - names_.begin())];
  names_.emplace_back(name);
  return values_.emplace_back();
}

void Json::push_back(Json entry) {
  if (is_null()) kind_ = Kind::Array;
  values_.push_back(std::move(entry));
}

const Json* Json::find(std::string_view name) const {
  const auto found = std::ranges::find(names_, name);
  return found != names_.end() ? &values_[static_cast<std::size_t>(found - names_.begin())] : nullptr;
}

std::string Json::written(Indent indent) const {
  TextBuffer out;
  append_to(out, indent);
  return fmt::to_string(out);
}

void Json::append_to(TextBuffer& out, Indent indent) const {
  switch (kind_) {
    case Kind::Null:
      return append_text(out, "null");
    case Kind::Boolean:
      return append_text(out, number_ != 0 ? "true" : "false");
    case Kind::Signed:
      return append(out, "{}", static_cast<std::int64_t>(number_));
    case Kind::Unsigned:
      return append_number(out, number_);
    case Kind::Text:
      return append_json_string(out, text_);
    case Kind::Array:
    case Kind::Object:
      return append_values_to(out, indent);
  }
}

void Json::append_values_to(TextBuffer& out, Indent indent) const {
  const Indent inner = indent ? Indent(*indent + kStep) : std::nullopt;
  out.push_back(is_array() ? '[' : '{');
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (i != 0) out.push_back(',');
    append_break(out, inner);
    if (is_object()) {
      append_json_string(out, names_[i]);
      append_text(out, inner ? ": " : ":");
    }
    values_[i].append_to(out, inner);
  }
  if (!values_.empty()) append_break(out, indent);
  out.push_back(is_array() ? ']' : '}');
}

}  // namespace fxt
