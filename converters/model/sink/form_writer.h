// Writes filled-in forms as FXT records: everything but the numbers is translated once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/form.h"
#include "fxt/writer.h"

namespace convert {

class FormWriter {
 public:
  // What the string table has for labels and names; nothing when it is full.
  struct Strings {
    std::function<std::optional<fxt::PreparedEvent>(LabelId)> event;
    std::function<std::optional<std::uint64_t>(NameId)> ref;
  };
  // Nothing when a string has no room in the table: then the records must be written one by one.
  static std::optional<FormWriter> prepare(const Form& form, const Strings& strings);

  std::size_t records() const { return records_; }
  std::size_t fields() const { return fields_; }
  std::size_t max_words() const { return max_words_; }

  // Writes all records into `word`, which has room for max_words(). Returns their end.
  std::uint64_t* put(std::uint64_t* word, fxt::ThreadIndex thread, std::uint64_t time_ns,
                     const std::uint64_t* fields);

 private:
  struct Step {
    enum class Kind : std::uint8_t {
      Event,     // a header, which gets its thread; the time
      Constant,  // words as they are: `count` from `index` of constants_
      Number32,  // an argument: the low half of field `index` in its header
      Signed,  // …, the narrow form if the number fits 32 bits, else the wide one: the field in its own word
      Unsigned,
      Wide,  // …, always the wide one
      End,   // of the event: its header gets its size
      Blob,  // number `index` of blobs_
    };
    Kind kind;
    std::uint32_t index = 0;
    std::uint32_t count = 0;
    std::uint64_t narrow = 0;  // header
    std::uint64_t wide = 0;    // header
  };

  // Names of one blob after the other differ in digits only.
  struct Blob {
    FormBlob form;
    std::string name = {};  // one of them, good for numbers of as many digits:
    std::uint64_t first_number = 1, last_number = 0;
    std::uint64_t header = 0;  // of blobs with names of this length
  };

  explicit FormWriter(const Form& form) : records_(form.records.size()), fields_(form.fields) {}
  bool add(const FormEvent& event, const Strings& strings);
  bool add(const FormArgument& argument, const Strings& strings);
  void add(const FormBlob& blob);
  void add_constant(const std::uint64_t* begin, const std::uint64_t* end);
  void add_text(std::uint64_t name, std::string_view text);
  static void rename(Blob& blob, std::uint64_t number);
  static std::uint64_t* put(std::uint64_t* word, Blob& blob, const std::uint64_t* fields);

  std::size_t records_, fields_;
  std::size_t max_words_ = 0;
  std::vector<Step> steps_;
  std::vector<std::uint64_t> constants_;
  std::vector<Blob> blobs_;
};

}  // namespace convert
