// Shows the collected values as arguments. If the traced program is available, the values of items are
// computed from the frame's contents. An item is shown if the tracepoint's actions prove that they recorded
// this item. Without the program, a block of memory has no type. It gets the name of an item if it can belong
// only to this item.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "converters/model/importer.h"
#include "converters/tfile/events/frame_arguments.h"
#include "converters/tfile/events/frame_items.h"

namespace convert::tfile {

class ValueArguments {
 public:
  // `symbols` may be null.
  ValueArguments(const TraceFile& trace, const ProgramSymbols* symbols, RecipeDraft& draft,
                 FrameMemory& memory, NumberTexts& texts, ImportContext& import_context);

  // Adds the arguments of the frame that is in the FrameMemory. `location` has the actions that the frame is
  // compared with. If `location` is null, no memory has a name.
  void add(std::uint64_t number, std::int16_t tracepoint, const FrameContext& context,
           const ExpectedFrames* location);

  // The number of items that have no typed value in at least one frame of a tracepoint, and the reason for
  // the first of these items.
  struct Lacking {
    std::size_t items = 0;
    std::string first = {};  // "`x`: its location is not understood"
  };
  const std::map<std::int16_t, Lacking>& lacking() const { return lacking_; }

 private:
  bool start_items(const FrameContext& context, const ExpectedFrames& location);
  void add_items(const ExpectedBlocks& expected);
  void add_item(std::size_t index, const ExpectedBlocks& expected);
  // How a pointer to characters is shown.
  enum class PointerForm : std::uint8_t { Address, Text, AddressAndText };
  PointerForm pointer_form(const ExpectedBlocks::Item& item, const ExpectedBlocks& expected) const;
  bool add_value(const ItemValue& item, PointerForm form);
  bool add_text_at(const ItemValue& item, PointerForm form);
  bool add_in_memory(const ItemValue& item);
  bool add_constant(const ItemValue& item);
  bool add_leaves(const ItemValue& item, std::span<const std::byte> bytes, const std::vector<bool>& known);
  void add_address(const ItemValue& item, std::uint64_t address);
  void add_target(const ItemValue& item, const ItemValue& target, std::uint64_t address);
  void add_recorded(std::size_t index, const ExpectedBlocks& expected);
  void add_globals(std::uint64_t address, const ExpectedBlocks& expected);
  const ValueLayout& layout_of(const ItemValue& item);
  NameId name_of(std::string_view text);
  void note(const NoteKind& kind, std::string_view item, std::string_view problem);

  const TraceFile& trace_;
  const ProgramSymbols* symbols_;
  Names& names_;
  Notes& notes_;
  RecipeDraft& draft_;
  FrameMemory& memory_;
  FrameItems items_;
  FrameArguments arguments_;
  std::map<std::string, NameId, std::less<>> value_names_;
  std::map<std::tuple<const Type*, NameId, std::uint64_t, std::uint64_t>, ValueLayout> layouts_;
  std::set<std::tuple<const NoteKind*, std::int16_t, std::string>> noted_;
  std::map<std::int16_t, Lacking> lacking_;  // by tracepoint
  fxt::Budget work_;
  // State of the current frame:
  std::uint64_t number_ = 0;
  std::int16_t tracepoint_ = 0;
};

}  // namespace convert::tfile
