// Uses only the installed library: writes a trace, cuts it, reads it, and checks it.
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <span>
#include <sstream>
#include <variant>

#include "fxt/checked_output.h"
#include "fxt/checker.h"
#include "fxt/cutter.h"
#include "fxt/input.h"
#include "fxt/ordered_reader.h"
#include "fxt/output.h"
#include "fxt/output_file.h"
#include "fxt/perfetto.h"
#include "fxt/reader.h"
#include "fxt/records.h"
#include "fxt/rules.h"
#include "fxt/time_range.h"
#include "fxt/tracer.h"
#include "fxt/utf8.h"
#include "fxt/version.h"
#include "fxt/words.h"
#include "fxt/writer.h"

namespace {

struct OnePiece : fxt::PieceOutputs {
  fxt::MemoryOutput output;
  fxt::Output& next(std::size_t) override { return output; }
};

// Calls the functions that this program does not use elsewhere, except templates. Returns true if all of them
// work.
bool is_all_there() {
  std::uint64_t word = 1;
  fxt::reorder_stream(&word, &word + 1);
  fxt::PerfettoPackets packets;
  packets.first_view_begins(1000);
  std::istringstream in("");
  fxt::StreamInput input(in);
  fxt::OutputFile("outside.txt").commit();
  fxt::Tracer tracer("outside.fxt");
  const fxt::TraceEvent event("outside", "event");
  FXT_SCOPE("outside", "scope", "text", "abc", "\u00e9", 1);
  fxt::trace_begin(event);
  fxt::trace_flow_begin(event, 1);
  fxt::trace_flow_end(event, 1);
  fxt::trace_end(event);
  tracer.flush();
  static_assert(FXT_VERSION == FXT_VERSION_MAJOR * 10000 + FXT_VERSION_MINOR * 100 + FXT_VERSION_PATCH);
  return !fxt::parse_time_range("1ms~").to && fxt::make_valid_utf8("a") == "a" && !fxt::rules().empty() &&
         fxt::name_of(fxt::Fault::Crosses) == "Crosses" && !fxt::kinds().empty() &&
         fxt::Arguments{{"a", 1}} == fxt::Arguments{{"a", 1}} &&
         fxt::FileInput("outside.txt").read({}) == 0 && !packets.bytes().empty() &&
         describe(fxt::Reader(input).end()).empty() && tracer.error().empty();
}

}  // namespace

int main() {
  fxt::MemoryOutput output;
  fxt::CheckedOutput checked(output);
  fxt::Writer writer(checked, {.provider_name = "outside"});
  writer.name_process(100, "app");
  writer.name_thread(100, 101, "main");
  writer.write(fxt::Event{.type = fxt::EventType::DurationComplete,
                          .time = 1000,
                          .thread = {.process = 100, .thread = 101},
                          .category = "app",
                          .name = "work",
                          .arguments = {{"size", 42}},
                          .end = 2000});
  writer.finish();

  OnePiece piece;
  fxt::Cutter cutter({}, piece);
  fxt::OrderedReader whole(std::as_bytes(output.words()));
  while (const fxt::Entry* entry = whole.next()) cutter.add(*entry, whole.reader());
  cutter.finish();

  int events = 0, findings = 0;
  fxt::Reader reader(std::as_bytes(piece.output.words()));
  fxt::Checker checker([&findings](const fxt::Finding&) { ++findings; });
  for (const fxt::Entry& entry : reader) {
    if (const auto* event = std::get_if<fxt::Event>(&entry.record)) {
      ++events;
      std::cout << event->name.text << ' ' << event->time << ".." << event->end << '\n';
    }
  }
  fxt::OrderedReader trace(std::as_bytes(piece.output.words()));
  checker.check(trace);
  return events == 1 && findings == 0 && is_all_there() ? 0 : 1;
}
