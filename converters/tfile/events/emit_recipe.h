// The events of a frame as data: its records with their packed arguments, and where in the frame's bytes the
// numbers among them are. A recipe is built for one frame, and emits all frames of the same pattern.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/model/lanes/argument.h"
#include "converters/model/lanes/lane.h"
#include "converters/model/names/names.h"
#include "converters/tfile/events/number_texts.h"
#include "converters/tfile/events/values.h"
#include "converters/tfile/frames/frame_reader.h"

namespace convert::tfile {

// The names of further records of a frame, whose first record is full: "<name> (2)" and so on.
class ContinuedLabels {
 public:
  ContinuedLabels(Names& names, std::size_t arguments_per_record)
      : names_(names), arguments_per_call_(2 * arguments_per_record) {}
  LabelId of(LabelId label, std::size_t nth);
  // The arguments of a begin and its end. More arguments go into further records of the same name.
  std::size_t arguments_per_call() const { return arguments_per_call_; }

 private:
  Names& names_;
  std::size_t arguments_per_call_;
  std::map<std::pair<LabelId, std::size_t>, LabelId> labels_;
};

// The collected items whose numbers are drawn as counters, too.
class Plots {
 public:
  // `items` are called as their arguments are, and include their members and elements; "all" means every
  // collected number that is no address.
  Plots(std::vector<std::string> items, Names& names) : items_(std::move(items)), names_(names) {}
  bool empty() const { return items_.empty(); }
  // The counter of an argument; nothing if there is none.
  std::optional<LabelId> counter_of(const Argument& argument);
  // The items without a counter, once all frames were shown: "`nosuch`: frames have n, it->id".
  std::vector<std::string> missing() const;

 private:
  static bool is_item(std::string_view item, std::string_view name, ArgumentType type);

  std::vector<std::string> items_;
  Names& names_;
  std::map<std::pair<NameId, ArgumentType>, std::optional<LabelId>> counters_;
};

// Bytes of the frame, counted from its header.
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

  // Done long before the names are read: loading what was just stored in small pieces stalls the processor.
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
    std::size_t suffix_begin, suffix_size;  // in texts_; before it is room for the rest of the name
    std::size_t first_part, parts = 0;      // in parts_
  };
  void set_all_digits(std::uint64_t number);
  std::span<const std::byte> join(const Blob& blob, std::span<const std::byte> frame);

  static constexpr std::uint64_t kNoTens = ~std::uint64_t{0};

  std::vector<Blob> blobs_;
  std::vector<FramePart> parts_;
  std::string texts_;
  std::uint64_t tens_ = kNoTens;   // the frame number that stands in texts_, without its last digit
  std::size_t digits_ = 0;         // of that number
  std::vector<std::byte> joined_;  // the parts of one blob
};

class EmitRecipe {
 public:
  // ---- Building it for a frame ----

  // Clears the recipe but keeps its memory. Every record begins with the argument `frame_name`, the
  // frame's number. Borrows `texts`; and `frame`, `continued` and `plots` until the recipe is built.
  void start(const Frame& frame, NameId frame_name, LabelId label, bool opens_call,
             ContinuedLabels& continued, Plots& plots, NumberTexts& texts);
  // An argument that all frames of the pattern have.
  void add(const Argument& argument);
  // A number that lies at these bytes in every frame; of form Flags the value of that register.
  void add_number(NameId name, ValueForm form, std::span<const std::byte> bytes,
                  const Register* flags = nullptr);
  // An argument of this frame only. `plotted` is drawn instead if it is plotted: the number behind a text.
  void add_for_this_frame(const Argument& argument, const Argument& plotted) {
    is_for_one_frame_ = true;
    add_argument(argument);
    if (building_.plots != nullptr) plot(plotted, kConstant);
  }
  void add_for_this_frame(const Argument& argument) { add_for_this_frame(argument, argument); }
  void set_for_one_frame() { is_for_one_frame_ = true; }
  void add_counter(LabelId label, NameId name, std::span<const std::byte> bytes);
  // Adds the counters of the plotted arguments. Call it after all others.
  void add_plots();
  // A blob of the frame. add_to_blob() appends bytes to the latest one.
  void add_blob(std::string_view suffix, std::span<const std::byte> bytes) {
    blobs_.add(suffix);
    add_to_blob(bytes);
  }
  void add_to_blob(std::span<const std::byte> bytes) { blobs_.add_part(part_of(bytes)); }

  // Arguments whose name is true for `is_counted`, in all records of the frame.
  template <typename IsCounted>
  std::size_t count_arguments(const IsCounted& is_counted) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < hit_records_; ++i)
      for (const Argument& argument : ArgumentRow(records_[i].arguments.words()))
        if (is_counted(argument.name)) ++count;
    return count;
  }

  // ---- Running it ----

  // Whether the recipe emits all frames of the pattern, and not only the one that it was built for.
  bool is_reusable() const { return !is_for_one_frame_; }
  // Emits the frame at the beginning of `bytes` at `time_ns`, which is not before the lane's latest event.
  // Returns the approximate number of bytes that the events occupy in the lane.
  std::size_t run(std::span<const std::byte> bytes, std::uint64_t number, std::endian order,
                  std::uint64_t time_ns, Lane& lane);

 private:
  struct Record {
    LabelId label;
    Arguments arguments;  // the frame's number first, except for counters
  };
  struct ValueSlot {
    std::uint32_t record, word;  // the word of the record's arguments that holds its value
    FramePart part;
    ValueForm form;
    const Register* flags = nullptr;  // of form Flags
  };

  FramePart part_of(std::span<const std::byte> bytes) const {
    return {static_cast<std::uint32_t>(bytes.data() - building_.frame.data()),
            static_cast<std::uint32_t>(bytes.size())};
  }
  // An argument that is drawn as a counter, too.
  struct Plotted {
    LabelId counter;
    Argument argument;
    std::size_t slot;  // in slots_; kConstant for one that is in no bytes
  };
  static constexpr std::size_t kConstant = ~std::size_t{0};

  Record& new_record(LabelId label);
  void add_argument(const Argument& argument);
  void plot(const Argument& argument, std::size_t slot);
  void fill(const ValueSlot& slot, std::uint64_t bits) {
    if (has_pointee(slot.form) || slot.flags != nullptr)
      set_text(slot, bits);
    else
      records_[slot.record].arguments.set_bits(slot.word, bits);
  }
  void set_text(const ValueSlot& slot, std::uint64_t bits);

  struct Building {
    std::span<const std::byte> frame;
    NameId frame_name{};
    LabelId label{};
    ContinuedLabels* continued = nullptr;
    Plots* plots = nullptr;
    std::vector<Plotted> plotted = {};
  };
  Building building_;  // for start() to add_plots()

  NumberTexts* number_texts_ = nullptr;
  bool opens_call_ = false;
  bool is_for_one_frame_ = false;
  std::vector<Record> records_;  // the frame's own, then counters; those from records_used_ on are spare
  std::size_t hit_records_ = 0, records_used_ = 0;
  std::vector<ValueSlot> slots_;
  FrameBlobs blobs_;
};

}  // namespace convert::tfile
