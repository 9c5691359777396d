// Records refer to strings by an index in the string table. If the table is full, the text is in the
// record.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/lanes/event.h"
#include "converters/model/names/names.h"
#include "converters/model/sink/fast_encode.h"
#include "fxt/writer.h"

namespace convert {

// Stores the refs of names. Also repairs texts of records, and cuts them if they do not fit into the record.
class StringRefs {
 public:
  using Texts = std::array<std::string_view, fxt::kMaxArguments>;

  StringRefs(fxt::Writer& writer, const Names& names) : writer_(writer), names_(names) {}

  // Makes room for new names. Must be called before new names are used.
  void grow() { refs_.resize(names_.size(), kNoRef); }
  // Returns the refs, indexed by name. The ref is kNoRef until a name is used for the first time.
  std::span<const std::uint32_t> refs() const { return refs_; }
  bool table_is_full() const { return table_is_full_; }

  // Returns a name's ref in the string table. Adds the name if the table has room.
  std::optional<std::uint16_t> table_ref(NameId name);
  // Like table_ref(). If the table is full, the result contains the text instead of an index.
  fxt::TextRef ref_of(NameId name);
  void register_names(const ArgumentRow& arguments);
  // Returns in `texts` the strings that are written into the record. They are repaired, and cut if they are
  // too long together. If a string is in the table, its text in `texts` is empty.
  void collect_texts(const ArgumentRow& arguments, Texts& texts);
  // Returns the text as UTF-8 without NUL. The result may be used until end_record().
  std::string_view valid(std::string_view text);
  void end_record() { repaired_.clear(); }

  void count_inline_name() { ++inline_names_; }

  // ---- Counters, which include the counters of the Writer ----

  std::uint64_t repaired_strings() const { return repaired_strings_ + writer_.counters().repaired_strings; }
  std::uint64_t cut_strings() const { return cut_strings_ + writer_.counters().cut_strings; }
  std::uint64_t inline_names() const { return inline_names_ + writer_.counters().inline_strings; }

 private:
  std::string_view cut(std::string_view text, std::size_t max_bytes);

  fxt::Writer& writer_;
  const Names& names_;
  std::vector<std::uint32_t> refs_;
  bool table_is_full_ = false;
  std::deque<std::string> repaired_;
  std::uint64_t repaired_strings_ = 0, cut_strings_ = 0, inline_names_ = 0;
};

class LabelHeaders {
 public:
  struct Header {
    std::uint64_t word = 0;             // the header word, see header_of(); 0 before make()
    const char* inline_name = nullptr;  // the text of a name that has no ref; else null
  };

  LabelHeaders(StringRefs& strings, const Names& names) : strings_(strings), names_(names) {}

  // Makes room for new labels. Must be called before new labels are used.
  void grow();
  std::span<const Header> headers() const { return headers_; }
  std::uint64_t word(LabelId label) const { return headers_[index_of(label)].word; }
  // Makes the header of a label, and returns the header word. Returns 0 if this is not possible, for example
  // if the table is full and the name is too long.
  std::uint64_t make(LabelId label);
  // True if Tracy would show instants with this label as starts of frames. Valid after make().
  bool names_a_frame(LabelId label) const { return frame_marks_[index_of(label)]; }

 private:
  StringRefs& strings_;
  const Names& names_;
  std::vector<Header> headers_;
  std::vector<bool> frame_marks_;
};

}  // namespace convert
