// The only room that knows both the model and FXT: writes the merged stream as FXT records.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/model/notes.h"
#include "converters/model/sink/form_writer.h"
#include "converters/model/timeline.h"
#include "fxt/writer.h"

namespace convert {

inline constexpr NoteKind kStringsCut{"strings-cut", "strings cut because they do not fit a record"};
inline constexpr NoteKind kStringsRepaired{"strings-repaired", "strings that were not UTF-8, made so"};
inline constexpr NoteKind kArgumentsCut{"arguments-cut", "arguments beyond the 30 that a call can show"};
inline constexpr NoteKind kTooDeep{"too-deep",
                                   "calls and instants left out because they are nested too deep"};
inline constexpr NoteKind kNameTableFull{"name-table-full",
                                         "uses of names that the string table had no room for"};

inline constexpr NoteKind kManyNames{"many-names",
                                     "names of calls and events: more than 32,767, Tracy can't save them"};
inline constexpr NoteKind kArrowBackwards{"arrow-backwards",
                                          "arrows left out because they would end before they begin"};
inline constexpr NoteKind kLongSpan{"long-span", "traces longer than the 39 hours that Tracy can hold"};

class FxtSink : public EventSink {
 public:
  // Borrows all three. The Writer has trust_nesting: a Timeline keeps the order, and calls by the million go
  // past the Writer's watch, which would then miss their begins.
  FxtSink(fxt::Writer& writer, const Names& names, Notes& notes)
      : writer_(writer), names_(names), notes_(notes) {}

  // Names all processes and threads. The 255 heaviest threads get the short references.
  void add_lanes(std::span<const LaneInfo> lanes) override;
  void write(std::size_t lane, Lane& events, std::span<const Slot> slots) override;
  // After the last event: notes what had to be cut. `output` is what notes call the file.
  void finish(const Timeline& timeline, std::string_view output);

  std::uint64_t events_written() const { return events_written_; }
  // The time of the first event, which is the earliest; nothing if there was none.
  std::optional<std::uint64_t> first_ns() const { return first_ns_; }

 private:
  struct Thread {
    fxt::Thread koids;
    std::optional<fxt::ThreadIndex> index;
  };

  std::size_t write_plain_calls(fxt::ThreadIndex thread, std::span<const Slot> slots);
  void write_formed(const Thread& thread, Lane& events, const Slot& slot);
  void write_one(const Thread& thread, Lane& events, const Slot& slot);
  void write_details(const Thread& thread, const Slot& slot, const Details& details);
  bool joins_flow(const Slot& slot);
  bool write_plain(const Thread& thread, const Slot& slot);
  bool write_prepared(const Thread& thread, const Slot& slot, const Details& details);
  bool write_short_blob(const Details& details);
  std::optional<std::uint64_t> string_ref(NameId name);
  bool prepare(LabelId label);
  void write_event(const Thread& thread, const Slot& slot, fxt::EventType type, const Arguments& arguments);
  void translate(const Arguments& arguments);
  fxt::Value translate(const Value& value, std::size_t max_string_bytes);

  fxt::Writer& writer_;
  const Names& names_;
  Notes& notes_;
  std::vector<Thread> threads_;                              // by lane
  std::vector<std::optional<fxt::PreparedEvent>> prepared_;  // by label, filled at first use
  std::vector<std::uint32_t> string_refs_;                   // by name; kNoRef until its first use
  std::vector<std::optional<FormWriter>> forms_;             // by form, filled at first use
  bool table_is_full_ = false;
  std::vector<fxt::Argument> arguments_;    // of the record at hand
  std::set<std::uint64_t> open_flows_;      // begun and not ended
  std::set<std::uint64_t> backward_flows_;  // went on or ended before they began
  std::uint64_t cut_strings_ = 0;
  std::uint64_t events_written_ = 0;
  std::optional<std::uint64_t> first_ns_;
};

}  // namespace convert
