// A recipe has the events of a frame: records with packed arguments, and the places in the frame's bytes from
// which numbers are copied into the arguments. RecipeDraft makes a recipe for one frame. If the recipe does
// not depend on the frame's values, it also emits all other frames with the same blocks.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/lanes/event.h"
#include "converters/model/lanes/lane.h"
#include "converters/model/names/names.h"
#include "converters/tfile/events/number_texts.h"
#include "converters/tfile/events/values.h"

namespace convert::tfile {

// A call around a frame of the trace file. Two such calls count as the same call if their labels are equal,
// and the addresses of their stack frames are known and equal. If the places are known from which both were
// called, these must be equal too. Two different calls of a function may have all of this in common.
struct CallerCall {
  LabelId label{};
  std::optional<std::uint64_t> frame_address = {};
  std::optional<std::uint64_t> called_at = {};

  bool is_same(const CallerCall& other) const {
    const bool is_called_there = !called_at || !other.called_at || called_at == other.called_at;
    return label == other.label && frame_address && frame_address == other.frame_address && is_called_there;
  }
};

struct FramePart {
  std::uint32_t offset, size;
};

// The blobs of a frame: "gdb/frame/<number><suffix>".
class FrameBlobs {
 public:
  void clear();
  // Begins a blob. add_part() appends bytes to the latest blob.
  void add(std::string_view suffix);
  void add_part(FramePart part) {
    parts_.push_back(part);
    ++blobs_.back().parts;
  }

  // Must be called long before the names are read. Otherwise, the processor waits for bytes that were just
  // stored in small pieces.
  void set_number(std::uint64_t number) {
    const std::uint64_t tens = number / 10;
    if (tens != tens_) set_all_digits(number);
    for (const Blob& blob : blobs_)
      texts_[blob.suffix_begin - 1] = static_cast<char>('0' + (number - 10 * tens));
  }
  // Returns the approximate number of bytes that the blobs occupy in the lane.
  std::size_t emit(std::span<const std::byte> frame, std::uint64_t time_ns, Lane& lane);

 private:
  struct Blob {
    std::size_t suffix_begin, suffix_size;  // in texts_; the start of the name is written before the suffix
    std::size_t first_part, parts = 0;      // in parts_
  };
  void set_all_digits(std::uint64_t number);
  std::span<const std::byte> join(const Blob& blob, std::span<const std::byte> frame);

  static constexpr std::uint64_t kNoTens = ~std::uint64_t{0};

  std::vector<Blob> blobs_;
  std::vector<FramePart> parts_;
  std::string texts_;
  std::uint64_t tens_ = kNoTens;  // the frame number in texts_, without its last digit
  std::size_t digits_ = 0;
  std::vector<std::byte> joined_;  // the parts of one blob
};

class Recipe {
 public:
  // True if the recipe emits all frames with these blocks, and not only the one that it was made for.
  bool is_reusable() const { return is_reusable_; }
  // The known calls around the frame, innermost first. None if the stack was not collected.
  std::span<const CallerCall> callers() const { return callers_; }
  // Emits a frame, whose bytes are at the beginning of `bytes`. `time_ns` must not be before the lane's
  // latest event. Returns the approximate number of bytes that the events occupy in the lane.
  std::size_t run(std::span<const std::byte> bytes, std::uint64_t number, std::endian order,
                  std::uint64_t time_ns, Lane& lane);

  // The number of arguments for whose names `is_counted` returns true. Does not count arguments of counters.
  template <typename IsCounted>
  std::size_t count_arguments(const IsCounted& is_counted) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < hit_records_; ++i)
      for (const Argument& argument : ArgumentRow(records_[i].arguments.words()))
        if (is_counted(argument.name)) ++count;
    return count;
  }

 private:
  friend class RecipeDraft;

  // A header word precedes the value of a record's first argument. The first argument of every record, except
  // counters, is the frame's number.
  static constexpr std::size_t kFirstValueWord = 1;

  struct Record {
    LabelId label;
    Arguments arguments;  // the frame's number first, except for counters
  };
  struct ValueSlot {
    std::uint32_t record, word;  // the value's place: a word in the arguments of this record
    FramePart part;
    ValueForm form;
    const Register* flags = nullptr;  // the register, for form Flags
  };

  Record& new_record(LabelId label);
  void fill(const ValueSlot& slot, std::uint64_t bits) {
    if (has_pointee(slot.form) || slot.flags != nullptr)
      set_text(slot, bits);
    else
      records_[slot.record].arguments.set_bits(slot.word, bits);
  }
  void set_text(const ValueSlot& slot, std::uint64_t bits);

  NumberTexts* number_texts_ = nullptr;
  bool opens_call_ = false;
  bool is_reusable_ = false;
  // The frame's own records, then its counters. Records from records_used_ on are unused.
  std::vector<Record> records_;
  std::size_t hit_records_ = 0, records_used_ = 0;
  std::vector<ValueSlot> slots_;
  FrameBlobs blobs_;
  std::vector<CallerCall> callers_;
};

}  // namespace convert::tfile
