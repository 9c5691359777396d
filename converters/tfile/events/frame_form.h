// What is said of all frames of one pattern, as a form of the model: drawn up while one of them is said in
// full, then filled in with the numbers of each.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/event.h"
#include "converters/model/form.h"
#include "converters/model/names/names.h"
#include "converters/tfile/frames/frame_reader.h"

namespace convert::tfile {

class FrameForm {
 public:
  FormId id() const { return id_; }
  std::size_t fields() const { return fields_; }

  // Of the frame number `frame` at the beginning of `bytes`. `fields` has room for fields().
  void fill(std::span<const std::byte> bytes, std::uint64_t frame, std::endian order,
            std::uint64_t* fields) const;

 private:
  friend class FormDraft;
  enum class Kind : std::uint8_t { Signed, Unsigned, Float, Bytes };
  struct Part {
    Kind kind;
    std::uint32_t size;   // bytes; 1, 2, 4 or 8 of a number
    std::size_t offset;   // in the frame, header included
    std::uint32_t field;  // the first one
  };

  FormId id_{};
  std::size_t fields_ = 1;  // the frame's number is the first one
  std::vector<Part> parts_;
};

class FormDraft {
 public:
  explicit FormDraft(const Frame& frame) : frame_(frame.bytes) {}

  // An argument of the frame's instant. `source`: the bytes of the frame that it stands for; none for what is
  // the same in all frames of the pattern. The first argument is the frame's number.
  void add(const Argument& argument, std::span<const std::byte> source);
  // A blob, its name but for the frame's number, and its bytes in the frame.
  void add_blob(std::string_view before, std::string_view after, std::span<const std::byte> bytes);
  void add_counter(LabelId label, const Argument& argument, std::span<const std::byte> source);
  void set_label(LabelId label) { label_ = label; }
  // What was said depends on more than the form can tell.
  void refuse() { is_refused_ = true; }

  // Nothing when there is no form for such frames.
  std::optional<FrameForm> finish(Names& names);
  std::size_t blobs() const { return blobs_; }

 private:
  FormArgument form_argument(const Argument& argument, std::span<const std::byte> source);
  FieldIndex add_part(FrameForm::Kind kind, std::span<const std::byte> source);

  std::span<const std::byte> frame_;
  bool is_refused_ = false;
  LabelId label_{};
  FrameForm form_;
  std::vector<FormArgument> arguments_;
  std::vector<FormRecord> others_;
  std::size_t blobs_ = 0;  // of them
};

}  // namespace convert::tfile
