// Threads and arguments, as they lie in records.
#include "fxt/writing/record_builder.h"

#include <algorithm>
#include <string>

#include "fxt/checking/value_rules.h"

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

void RecordBuilder::refer_to(const Arguments& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) scratch_->arguments[i] = tables_->refer_to(arguments[i]);
}

std::uint64_t* RecordBuilder::next(std::size_t words) {
  if (words > kMaxRecordWords - size_)
    throw WriterError(std::string(kind_) + ' ' + quoted(name_) +
                      ": its strings and arguments need more than the 4095 words of a record");
  size_ += words;
  return scratch_->words.data() + size_ - words;
}

void RecordBuilder::thread(const ThreadRef& thread) {
  if (thread.ref != 0) return;
  word(thread.thread.process);
  word(thread.thread.thread);
}

void RecordBuilder::arguments(const Arguments& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) argument(arguments[i], scratch_->arguments[i]);
}

void RecordBuilder::argument(const Argument& argument, const ArgumentRefs& refs) {
  struct Put {
    std::uint64_t* at;
    const ArgumentRefs& refs;
    void operator()(std::monostate) const { put_null(at, refs.name); }
    void operator()(std::int32_t number) const { put_int32(at, refs.name, number); }
    void operator()(std::uint32_t number) const { put_uint32(at, refs.name, number); }
    void operator()(std::int64_t number) const { put_int64(at, refs.name, number); }
    void operator()(std::uint64_t number) const { put_uint64(at, refs.name, number); }
    void operator()(double number) const { put_double(at, refs.name, number); }
    void operator()(const String&) const { put_text(at, refs.name, refs.text); }
    void operator()(Pointer pointer) const { put_pointer(at, refs.name, pointer.address); }
    void operator()(Koid koid) const { put_koid(at, refs.name, koid.koid); }
    void operator()(bool truth) const { put_bool(at, refs.name, truth); }
    void operator()(const Bytes& blob) const {
      put_blob(at, refs.name, blob.bytes.data(), static_cast<std::uint32_t>(blob.bytes.size()));
    }
    void operator()(const UnknownValue& unknown) const {
      std::ranges::copy(unknown.words, put_argument(at, ArgumentType{unknown.type}, refs.name,
                                                    unknown.words.size(), unknown.header_data));
    }
  };
  std::uint64_t* const at = next(1 + refs.name.words() + value_words(argument.value, refs.text));
  std::visit(Put{at, refs}, argument.value);
}

std::span<const std::uint64_t> RecordBuilder::finish() {
  scratch_->words[0] |= RecordHeader::Size::put(size_);
  return std::span(scratch_->words).first(size_);
}

std::span<const std::uint64_t> RecordBuilder::finish_large(std::size_t words) {
  scratch_->words[0] |= LargeRecordHeader::Size::put(words);
  return std::span(scratch_->words).first(size_);
}

}  // namespace fxt
