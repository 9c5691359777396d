#include "converters/model/sink/string_refs.h"

#include <algorithm>

#include "converters/model/reading/text.h"
#include "fxt/rules.h"
#include "fxt/utf8.h"

namespace convert {

std::optional<std::uint16_t> StringRefs::table_ref(NameId name) {
  std::uint32_t& known = refs_[index_of(name)];
  if (known != kNoRef) return static_cast<std::uint16_t>(known);
  if (table_is_full_) return std::nullopt;
  const auto ref = writer_.string_ref(valid(names_.text(name)));
  table_is_full_ = !ref;
  if (ref) known = *ref;
  return ref;
}

fxt::TextRef StringRefs::ref_of(NameId name) {
  if (const auto ref = table_ref(name)) return fxt::TextRef::table(*ref);
  ++inline_names_;
  return fxt::TextRef::inlined(cut(valid(names_.text(name)), kInlineNameBytes));
}

void StringRefs::register_names(const ArgumentRow& arguments) {
  for (const Argument& argument : arguments) {
    table_ref(argument.name);
    if (argument.kind == ArgumentKind::Name) table_ref(static_cast<NameId>(argument.bits));
  }
}

void StringRefs::collect_texts(const ArgumentRow& arguments, Texts& texts) {
  std::size_t count = 0, bytes = 0;
  std::string_view* text = texts.data();
  for (const Argument& argument : arguments) {
    if (argument.kind != ArgumentKind::Text && argument.kind != ArgumentKind::Name) continue;
    *text = {};
    if (argument.kind == ArgumentKind::Text) {
      *text = valid(argument.text);
    } else if (!table_ref(static_cast<NameId>(argument.bits))) {
      ++inline_names_;
      *text = valid(names_.text(static_cast<NameId>(argument.bits)));
    }
    if (!text->empty()) ++count;
    bytes += text->size();
    ++text;
  }
  if (bytes <= kStringBytesPerRecord) return;
  for (std::string_view* other = texts.data(); other != text; ++other)
    *other = cut(*other, kStringBytesPerRecord / count);
}

std::string_view StringRefs::valid(std::string_view text) {
  if (fxt::is_sound(text)) return text;
  ++repaired_strings_;
  return repaired_.emplace_back(spelled(text));
}

std::string_view StringRefs::cut(std::string_view text, std::size_t max_bytes) {
  const std::string_view shorter = fxt::cut_utf8(text, max_bytes);
  if (shorter.size() != text.size()) ++cut_strings_;
  return shorter;
}

void LabelHeaders::grow() {
  // There is at least one header, because events without a label use the first header.
  headers_.resize(std::max<std::size_t>(names_.label_count(), 1));
  frame_marks_.resize(headers_.size());
}

std::uint64_t LabelHeaders::make(LabelId id) {
  auto& [word, inline_name] = headers_[index_of(id)];
  if (word != 0) return word;
  const Names::Label label = names_.label(id);
  const auto category = strings_.table_ref(label.category);
  const auto name = strings_.table_ref(label.name);
  const std::string_view text = names_.text(label.name);
  const bool is_frame_mark = fxt::names_a_frame(text);
  frame_marks_[index_of(id)] = is_frame_mark;
  if (category && name) {
    word = header_of(*category, *name);
  } else if (category && text.size() <= kInlineNameBytes && fxt::is_sound(text) && !is_frame_mark) {
    word = header_of(*category, fxt::TextRef::inlined(text).ref);
    inline_name = text.data();
  }
  return word;
}

}  // namespace convert
