#include "converters/model/sink/form_writer.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <limits>

#include "converters/model/sink/argument_words.h"

namespace convert {
namespace {

using Type = fxt::ArgumentType;

constexpr std::size_t kMaxDigits = 20;

// Of the same digits: 100 to 999.
struct Decade {
  std::uint64_t first, last;
};
Decade decade_of(std::uint64_t number) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  Decade decade{0, 9};
  while (number > decade.last) {
    decade.first = decade.last + 1;
    decade.last = decade.last > kMost / 10 - 1 ? kMost : decade.last * 10 + 9;
  }
  return decade;
}

}  // namespace

std::optional<FormWriter> FormWriter::prepare(const Form& form, const Strings& strings) {
  FormWriter writer(form);
  for (const FormRecord& record : form.records) {
    if (const auto* const event = std::get_if<FormEvent>(&record)) {
      if (!writer.add(*event, strings)) return std::nullopt;
    } else {
      writer.add(std::get<FormBlob>(record));
    }
  }
  assert(writer.max_words_ <= fxt::kMinBufferWords);
  return writer;
}

bool FormWriter::add(const FormEvent& event, const Strings& strings) {
  const bool is_counter = event.kind == SlotKind::Counter;
  const auto prepared = strings.event(event.label);
  if (!prepared) return false;
  const auto type = is_counter ? fxt::EventType::Counter : fxt::EventType::Instant;
  steps_.push_back({.kind = Step::Kind::Event,
                    .narrow = prepared->header(type, fxt::ThreadIndex{}, 0) |
                              fxt::EventHeader::ArgumentCount::put(event.arguments.size())});
  max_words_ += 2;
  for (const FormArgument& argument : event.arguments)
    if (!add(argument, strings)) return false;
  constexpr std::array<std::uint64_t, 1> kId{0};
  if (is_counter) add_constant(kId.data(), kId.data() + kId.size());
  steps_.push_back({.kind = Step::Kind::End});
  return true;
}

bool FormWriter::add(const FormArgument& argument, const Strings& strings) {
  const auto name = strings.ref(argument.name);
  if (!name) return false;
  if (!argument.field) {
    if (const auto* const text = std::get_if<std::string>(&argument.value)) {
      add_text(*name, *text);
      return true;
    }
    std::optional<std::uint64_t> ref;
    if (const auto* const text = std::get_if<NameId>(&argument.value)) {
      ref = strings.ref(*text);
      if (!ref) return false;
    }
    std::array<std::uint64_t, 2> words;
    add_constant(words.data(),
                 put_argument(words.data(), *name, argument.value, [&](NameId) { return *ref; }));
    return true;
  }
  Step step{.kind = Step::Kind::Number32, .index = static_cast<std::uint32_t>(*argument.field)};
  const auto take = [&](Step::Kind kind, Type narrow, Type wide) {
    step.kind = kind;
    step.narrow = argument_header(narrow, *name, 1);
    step.wide = argument_header(wide, *name, 2);
  };
  const Value& value = argument.value;
  if (std::holds_alternative<std::int32_t>(value))
    take(Step::Kind::Number32, Type::Int32, Type::Int32);
  else if (std::holds_alternative<std::uint32_t>(value))
    take(Step::Kind::Number32, Type::Uint32, Type::Uint32);
  else if (std::holds_alternative<std::int64_t>(value))
    take(Step::Kind::Signed, Type::Int32, Type::Int64);
  else if (std::holds_alternative<std::uint64_t>(value))
    take(Step::Kind::Unsigned, Type::Uint32, Type::Uint64);
  else if (std::holds_alternative<double>(value))
    take(Step::Kind::Wide, Type::Null, Type::Double);
  else
    take(Step::Kind::Wide, Type::Null, Type::Pointer);
  max_words_ += 2;
  steps_.push_back(step);
  return true;
}

void FormWriter::add(const FormBlob& blob) {
  steps_.push_back({.kind = Step::Kind::Blob, .index = static_cast<std::uint32_t>(blobs_.size())});
  blobs_.push_back({.form = blob});
  max_words_ += 1 + words_of(blob.before.size() + kMaxDigits + blob.after.size()) + words_of(blob.size_bytes);
}

void FormWriter::add_constant(const std::uint64_t* begin, const std::uint64_t* end) {
  const auto count = static_cast<std::uint32_t>(end - begin);
  if (!steps_.empty() && steps_.back().kind == Step::Kind::Constant)
    steps_.back().count += count;
  else
    steps_.push_back({.kind = Step::Kind::Constant,
                      .index = static_cast<std::uint32_t>(constants_.size()),
                      .count = count});
  constants_.insert(constants_.end(), begin, end);
  max_words_ += count;
}

// Spec, "String argument", its text inline.
void FormWriter::add_text(std::uint64_t name, std::string_view text) {
  std::array<std::uint64_t, 1 + words_of(kMaxFormText)> words;
  const std::uint64_t ref =
      text.empty() ? 0 : fxt::StringRef::IsInline::put(1) | fxt::StringRef::Value::put(text.size());
  words[0] = argument_header(Type::String, name, 1 + words_of(text.size())) |
             fxt::StringArgumentHeader::Text::put(ref);
  add_constant(words.data(), put_bytes(words.data() + 1, text.data(), text.size()));
}

std::uint64_t* FormWriter::put(std::uint64_t* word, fxt::ThreadIndex thread, std::uint64_t time_ns,
                               const std::uint64_t* fields) {
  using ThreadField = fxt::EventHeader::Thread;
  using SmallValue = fxt::ArgumentHeader::Value;
  const std::uint64_t thread_bits = ThreadField::put(static_cast<std::uint8_t>(thread));
  std::uint64_t* event = word;
  const auto narrow = [&](const Step& step) {
    *word++ = step.narrow | SmallValue::put(static_cast<std::uint32_t>(fields[step.index]));
  };
  const auto wide = [&](const Step& step) {
    *word++ = step.wide;
    *word++ = fields[step.index];
  };
  for (const Step& step : steps_) {
    switch (step.kind) {
      case Step::Kind::Event:
        event = word;
        *word++ = step.narrow | thread_bits;
        *word++ = time_ns;
        break;
      case Step::Kind::Constant:
        for (std::uint32_t i = 0; i < step.count; ++i) *word++ = constants_[step.index + i];
        break;
      case Step::Kind::Number32:
        narrow(step);
        break;
      case Step::Kind::Signed:
        if (std::in_range<std::int32_t>(static_cast<std::int64_t>(fields[step.index])))
          narrow(step);
        else
          wide(step);
        break;
      case Step::Kind::Unsigned:
        if (std::in_range<std::uint32_t>(fields[step.index]))
          narrow(step);
        else
          wide(step);
        break;
      case Step::Kind::Wide:
        wide(step);
        break;
      case Step::Kind::End:
        *event |= fxt::EventHeader::Size::put(static_cast<std::uint64_t>(word - event));
        break;
      case Step::Kind::Blob:
        word = put(word, blobs_[step.index], fields);
        break;
    }
  }
  return word;
}

// Makes the name fit numbers of as many digits as `number` has.
void FormWriter::rename(Blob& blob, std::uint64_t number) {
  const Decade decade = decade_of(number);
  blob.first_number = decade.first;
  blob.last_number = decade.last;
  blob.name = blob.form.before + std::to_string(number) + blob.form.after;
  using Header = fxt::BlobHeader;
  blob.header =
      Header::Type::put(static_cast<std::uint64_t>(fxt::RecordType::Blob)) |
      Header::Size::put(1 + words_of(blob.name.size()) + words_of(blob.form.size_bytes)) |
      Header::Name::put(fxt::StringRef::IsInline::put(1) | fxt::StringRef::Value::put(blob.name.size())) |
      Header::PayloadSize::put(blob.form.size_bytes) |
      Header::BlobType::put(static_cast<std::uint64_t>(fxt::BlobType::Data));
}

std::uint64_t* FormWriter::put(std::uint64_t* word, Blob& blob, const std::uint64_t* fields) {
  const std::uint64_t number = fields[static_cast<std::size_t>(blob.form.number)];
  if (number < blob.first_number || number > blob.last_number) rename(blob, number);
  *word++ = blob.header;
  std::uint64_t* const name = word;
  word = copy_bytes(name, blob.name.data(), blob.name.size());
  // The digits are written over those of an earlier name in the copy: a copy of what was just written byte by
  // byte would have to wait for it (measured).
  char* const digits = reinterpret_cast<char*>(name) + blob.form.before.size();
  std::to_chars(digits, digits + kMaxDigits, number);
  make_words(name, word);
  return put_bytes(word, fields + static_cast<std::size_t>(blob.form.first), blob.form.size_bytes);
}

}  // namespace convert
