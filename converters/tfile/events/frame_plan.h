// What is said of a frame, as data: its records with their arguments packed, and where in the frame the
// numbers among them lie. Drawn up once for frames that look alike, or for a single one; said by running it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/model/lanes/argument.h"
#include "converters/model/lanes/lane.h"
#include "converters/model/names/names.h"
#include "converters/tfile/events/values.h"
#include "converters/tfile/frames/frame_reader.h"

namespace convert::tfile {

// What the records of a frame are called that go on where the first one is full: "<its name> (2)" and so on.
class ContinuedLabels {
 public:
  explicit ContinuedLabels(Names& names) : names_(names) {}
  LabelId of(LabelId label, std::size_t nth);

 private:
  Names& names_;
  std::map<std::pair<LabelId, std::size_t>, LabelId> labels_;
};

class FramePlan {
 public:
  // ---- Drawing up, while a frame of its kind is at hand. ----

  // Forgets all, but keeps its room. `number` names the argument that every record of the frame begins with.
  // Borrows `continued` while drawing up.
  void start(const Frame& frame, NameId number, LabelId label, bool opens_call, ContinuedLabels& continued);
  // An argument that all frames of the kind have.
  void add(const Argument& argument);
  // A number that each frame holds at these bytes.
  void add_number(NameId name, Reading reading, std::span<const std::byte> bytes);
  // A value that only the frame at hand has.
  void add_own(const Argument& argument) {
    is_for_one_frame_ = true;
    add(argument);
  }
  void set_for_one_frame() { is_for_one_frame_ = true; }
  void add_counter(LabelId label, NameId name, std::span<const std::byte> bytes);
  // The blob "gdb/frame/<number><after>"; more bytes can be added to the latest.
  void add_blob(std::string_view after, std::span<const std::byte> bytes);
  void add_to_blob(std::span<const std::byte> bytes) { parts_.push_back(part_of(bytes)); }

  // ---- Running. ----

  // Whether frames that look like the one it was drawn up from are said by the same plan.
  bool fits_all_alike() const { return !is_for_one_frame_; }
  // Says the frame that `bytes` begin with, at `time_ns`, which must not be before anything said in `lane`.
  // Returns about how many bytes of lane memory that takes.
  std::size_t run(std::span<const std::byte> bytes, std::uint64_t number, std::endian order,
                  std::uint64_t time_ns, Lane& lane);

 private:
  struct Part {  // of the frame, header included
    std::uint32_t offset, size;
  };
  struct Record {
    LabelId label;
    Arguments arguments;  // the frame's number is the first one, but for counters
  };
  struct Number {
    std::uint32_t record, word;
    Part part;
    Reading reading;
  };
  struct Blob {
    std::size_t after_begin, after_size;  // in texts_, where there is room before it
    std::size_t first_part;               // the last one is before the next blob's
  };

  Part part_of(std::span<const std::byte> bytes) const {
    return {static_cast<std::uint32_t>(bytes.data() - frame_.data()),
            static_cast<std::uint32_t>(bytes.size())};
  }
  Record& new_record(LabelId label);
  void name_blobs(std::uint64_t number);
  void say_blobs(std::span<const std::byte> bytes, std::uint64_t time_ns, Lane& lane);

  std::span<const std::byte> frame_;  // at hand, while drawing up
  NameId number_{};
  LabelId label_{};
  ContinuedLabels* continued_ = nullptr;  // while drawing up
  bool opens_call_ = false;
  bool is_for_one_frame_ = false;
  std::vector<Record> records_;  // the frame's own, then counters; those behind records_used_ are room
  std::size_t own_records_ = 0, records_used_ = 0;
  std::vector<Number> numbers_;
  std::vector<Blob> blobs_;
  std::vector<Part> parts_;  // of blobs
  std::string texts_;
  std::size_t digits_ = 0;         // of the number in texts_; 0: none yet
  std::vector<std::byte> joined_;  // of its parts
};

}  // namespace convert::tfile
