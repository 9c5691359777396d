// Writes a trace, reads it back and checks it, with nothing but the installed library.
#include <iostream>
#include <span>
#include <variant>

#include "fxt/checker.h"
#include "fxt/reader.h"
#include "fxt/words.h"
#include "fxt/writer.h"

int main() {
  fxt::MemoryOutput output;
  fxt::Writer writer(output, {.provider_name = "outside"});
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

  int events = 0, findings = 0;
  fxt::Reader reader(std::as_bytes(output.words()));
  fxt::Checker checker([&findings](const fxt::Finding&) { ++findings; });
  for (const fxt::Entry& entry : reader) {
    checker.add(entry, reader);
    if (const auto* event = std::get_if<fxt::Event>(&entry.record)) {
      ++events;
      std::cout << event->name.text << ' ' << event->time << ".." << event->end << '\n';
    }
  }
  checker.finish(reader);
  return events == 1 && findings == 0 ? 0 : 1;
}
