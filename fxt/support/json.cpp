#include "fxt/support/json.h"

#include <algorithm>

namespace fxt {
namespace {

constexpr std::size_t kStep = 2;

void append_break(TextBuffer& out, std::optional<std::size_t> indent) {
  if (indent) append(out, "\n{:{}}", "", *indent);
}

// `parts` between brackets. `append_part` gets the indent of what the part holds.
template <typename Parts, typename AppendPart>
void append_list(TextBuffer& out, std::string_view brackets, const Parts& parts,
                 std::optional<std::size_t> indent, const AppendPart& append_part) {
  const auto inner = indent ? std::optional(*indent + kStep) : std::nullopt;
  out.push_back(brackets.front());
  for (const auto& part : parts) {
    if (&part != &parts.front()) out.push_back(',');
    append_break(out, inner);
    append_part(part, inner);
  }
  if (!parts.empty()) append_break(out, indent);
  out.push_back(brackets.back());
}

}  // namespace

Json::Json(const std::vector<std::string>& texts)
    : kind_(Kind::Array), entries_(texts.begin(), texts.end()) {}
Json::Json(std::initializer_list<Member> members) : kind_(Kind::Object), members_(members) {}

Json& Json::operator[](std::string_view name) {
  if (is_null()) kind_ = Kind::Object;
  const auto found = std::ranges::find(members_, name, &Member::name);
  return found != members_.end() ? found->value : members_.emplace_back(std::string(name), Json()).value;
}

void Json::push_back(Json entry) {
  if (is_null()) kind_ = Kind::Array;
  entries_.push_back(std::move(entry));
}

const Json* Json::find(std::string_view name) const {
  const auto found = std::ranges::find(members_, name, &Member::name);
  return found != members_.end() ? &found->value : nullptr;
}

std::optional<std::size_t> Json::size() const {
  if (kind_ == Kind::Array) return entries_.size();
  if (kind_ == Kind::Object) return members_.size();
  return std::nullopt;
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
      return append_list(out, "[]", entries_, indent,
                         [&](const Json& entry, Indent inner) { entry.append_to(out, inner); });
    case Kind::Object:
      return append_list(out, "{}", members_, indent, [&](const Member& member, Indent inner) {
        append_json_string(out, member.name);
        append_text(out, inner ? ": " : ":");
        member.value.append_to(out, inner);
      });
  }
}

}  // namespace fxt
