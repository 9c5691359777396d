// Arguments, as they lie in records.
#include "fxt/writing/record_builder.h"

#include <algorithm>
#include <string>

#include "fxt/checking/value_rules.h"
#include "fxt/words.h"

namespace fxt {
namespace {

// The words of an argument's value, those of a string's inline text included.
std::size_t value_words(const Value& value, const TextRef& text) {
  switch (static_cast<ArgumentType>(value.index())) {
    case ArgumentType::Int64:
    case ArgumentType::Uint64:
    case ArgumentType::Double:
    case ArgumentType::Pointer:
    case ArgumentType::Koid:
      return 1;
    case ArgumentType::String:
      return text.words();
    case ArgumentType::Blob:
      return words_of(std::get<Bytes>(value).bytes.size());
    default:
      if (const auto* unknown = std::get_if<UnknownValue>(&value)) return unknown->words.size();
      return 0;
  }
}

}  // namespace

std::uint64_t* RecordBuilder::next(std::size_t words) {
  if (words > room_.size() - size_)
    throw WriterError(std::string(kind_) + ' ' + quoted(name_) +
                      ": its strings and arguments need more than the 4095 words of a record");
  size_ += words;
  return room_.data() + size_ - words;
}

void RecordBuilder::argument(const Argument& argument) {
  const TextRef name = refer_to(argument.name);
  const auto* const string = std::get_if<String>(&argument.value);
  const TextRef text = string == nullptr ? TextRef{} : refer_to(*string);
  struct Put {
    std::uint64_t* at;
    const TextRef &name, &text;
    void operator()(std::monostate) const { put_null(at, name); }
    void operator()(std::int32_t number) const { put_int32(at, name, number); }
    void operator()(std::uint32_t number) const { put_uint32(at, name, number); }
    void operator()(std::int64_t number) const { put_int64(at, name, number); }
    void operator()(std::uint64_t number) const { put_uint64(at, name, number); }
    void operator()(double number) const { put_double(at, name, number); }
    void operator()(const String&) const { put_text(at, name, text); }
    void operator()(Pointer pointer) const { put_pointer(at, name, pointer.address); }
    void operator()(Koid koid) const { put_koid(at, name, koid.koid); }
    void operator()(bool truth) const { put_bool(at, name, truth); }
    void operator()(const Bytes& blob) const {
      put_blob(at, name, blob.bytes.data(), static_cast<std::uint32_t>(blob.bytes.size()));
    }
    void operator()(const UnknownValue& unknown) const {
      std::ranges::copy(unknown.words, put_argument(at, ArgumentType{unknown.type}, name,
                                                    unknown.words.size(), unknown.header_data));
    }
  };
  std::uint64_t* const at = next(1 + name.words() + value_words(argument.value, text));
  std::visit(Put{at, name, text}, argument.value);
}

}  // namespace fxt
