// Encodes the arguments of records.
#include "fxt/writing/record_builder.h"

#include <stdexcept>
#include <variant>

#include "fxt/checking/value_rules.h"
#include "fxt/words.h"

namespace fxt {

FXT_API void refuse_wide_value() { throw std::logic_error("value too wide for its field"); }

void RecordBuilder::refuse(const std::string& problem) const {
  throw WriterError(std::string(kind_) + (name_.empty() ? "" : ' ' + quoted(name_)) + ": " + problem);
}

std::uint64_t* RecordBuilder::next(std::size_t words) {
  if (words > room_.size() - size_)
    refuse("its strings and arguments need more than the 4095 words of a record");
  size_ += words;
  return room_.data() + size_ - words;
}

void RecordBuilder::argument(const Argument& argument) {
  const TextRef name = refer_to(argument.name);
  struct Put {
    RecordBuilder& record;
    const TextRef& name;
    // Returns space for the argument: its header, its name, and `words` words for its value.
    std::uint64_t* room(std::size_t words) const { return record.next(1 + name.words() + words); }
    void operator()(std::monostate) const { put_null(room(0), name); }
    void operator()(std::int32_t number) const { put_int32(room(0), name, number); }
    void operator()(std::uint32_t number) const { put_uint32(room(0), name, number); }
    void operator()(std::int64_t number) const { put_int64(room(1), name, number); }
    void operator()(std::uint64_t number) const { put_uint64(room(1), name, number); }
    void operator()(double number) const { put_double(room(1), name, number); }
    void operator()(const String& string) const {
      const TextRef text = record.refer_to(string);
      put_text(room(text.words()), name, text);
    }
    void operator()(Pointer pointer) const { put_pointer(room(1), name, pointer.address); }
    void operator()(Koid koid) const { put_koid(room(1), name, koid.koid); }
    void operator()(bool truth) const { put_bool(room(0), name, truth); }
    void operator()(const Bytes& blob) const {
      put_blob(room(words_of(blob.bytes.size())), name, blob.bytes.data(),
               static_cast<std::uint32_t>(blob.bytes.size()));
    }
    void operator()(const UnknownValue& unknown) const {
      std::ranges::copy(unknown.words, put_argument(room(unknown.words.size()), ArgumentType{unknown.type},
                                                    name, unknown.words.size(), unknown.header_data));
    }
  };
  std::visit(Put{*this, name}, argument.value);
}

}  // namespace fxt
