// Makes the recipe of a frame. Numbers and blobs are added by their place in the frame, and everything else
// is added by value. The recipe serves other frames if no value of this frame was read (see FrameMemory).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "converters/tfile/events/recipe.h"
#include "converters/tfile/frames/frame_memory.h"

namespace convert::tfile {

// The names of further records, if the first record of a frame is full: "<name> (2)" and so on.
class ContinuedLabels {
 public:
  ContinuedLabels(Names& names, std::size_t arguments_per_record)
      : names_(names), arguments_per_call_(2 * arguments_per_record) {}
  LabelId label_of(LabelId label, std::size_t nth);
  // The maximum number of arguments that a call can have at its start and its end together. More arguments go
  // into further records, which label_of() names.
  std::size_t arguments_per_call() const { return arguments_per_call_; }

 private:
  Names& names_;
  std::size_t arguments_per_call_;
  std::map<std::pair<LabelId, std::size_t>, LabelId> labels_;
};

// The collected items whose numbers are also drawn as counters.
class Plots {
 public:
  // Each of `items` is the name of an argument. A name also selects the members and elements of the argument:
  // "a" selects "a.b" and "a[0]". "all" means all numbers except addresses, registers and memory without a
  // name.
  Plots(std::vector<std::string> items, Names& names)
      : items_(std::move(items)), names_(names), label_(names.intern_label("value", "plot")) {}
  bool empty() const { return items_.empty(); }
  bool has(const Argument& argument);
  // The label of all counters. Perfetto appends the name of the argument: "plot:queue.size".
  LabelId label() const { return label_; }
  // The items without a counter, with the reason: "`nosuch`: the frames have no numbers". Valid after all
  // frames were shown.
  std::vector<std::string> missing() const;

 private:
  static bool is_item(std::string_view item, std::string_view name, ArgumentKind kind);

  std::vector<std::string> items_;
  Names& names_;
  LabelId label_;
  std::map<std::pair<NameId, ArgumentKind>, bool> is_plotted_;
};

// The names of values that contain other values: "a" and "a.b" contain `a.b[0]`. If an event has a value and
// also a part of this value, Perfetto shows no arguments of the event. Therefore, the whole value gets the
// name "a (whole)".
class WholeNames {
 public:
  explicit WholeNames(Names& names) : names_(names) {}
  void rename_wholes(Arguments& arguments);

 private:
  const std::vector<NameId>& wholes_of(NameId part);

  Names& names_;
  std::unordered_map<NameId, std::vector<NameId>> wholes_;
};

class RecipeDraft {
 public:
  // Every record except counters begins with the argument `frame_name`, the frame's number.
  RecipeDraft(NameId frame_name, ContinuedLabels& continued, Plots& plots, WholeNames& wholes,
              NumberTexts& texts)
      : frame_name_(frame_name), continued_(continued), plots_(plots), wholes_(wholes), texts_(texts) {}

  // Clears `recipe`, and reuses its storage. `recipe` and `memory` (the frame) must be valid until finish().
  void start(Recipe& recipe, FrameMemory& memory, LabelId label, bool opens_call);
  // The argument may be a text that stands for a number, such as `true`. If the argument is plotted, its
  // counter shows `plotted`, which is this number.
  void add(const Argument& argument, const Argument& plotted);
  void add(const Argument& argument) { add(argument, argument); }
  // Adds a number. Each frame for which the recipe is used has the number at the place of `bytes`. If the
  // form is Flags, `flags` is the register with the number.
  void add_number(NameId name, ValueForm form, const FrameBytes& bytes, const Register* flags = nullptr);
  void add_counter(LabelId label, NameId name, const FrameBytes& bytes);
  void add_blob(std::string_view suffix, const FrameBytes& bytes) {
    recipe_->blobs_.add(suffix);
    add_to_blob(bytes);
  }
  void add_to_blob(const FrameBytes& bytes) { recipe_->blobs_.add_part(part_of(bytes)); }
  // Sets the known calls around the frame, innermost first.
  void set_callers(std::span<const CallerCall> callers) {
    recipe_->callers_.assign(callers.begin(), callers.end());
  }
  // Renames arguments that have parts. Adds counters for plotted arguments. Decides if the recipe is
  // reusable.
  void finish();

 private:
  // An argument that is also drawn as a counter.
  struct Plotted {
    Argument argument;
    std::size_t slot;  // index in Recipe::slots_; kConstant for an argument that was added by value
  };
  static constexpr std::size_t kConstant = ~std::size_t{0};

  static FramePart part_of(const FrameBytes& bytes);
  void add_argument(const Argument& argument);
  void plot(const Argument& argument, std::size_t slot);

  const NameId frame_name_;
  ContinuedLabels& continued_;
  Plots& plots_;
  WholeNames& wholes_;
  NumberTexts& texts_;

  // State of the current frame:
  Recipe* recipe_ = nullptr;
  FrameMemory* memory_ = nullptr;
  LabelId label_{};
  std::vector<Plotted> plotted_;
};

}  // namespace convert::tfile
