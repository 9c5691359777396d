// Reads any bytes as argument specs, enum definitions, a .dbg file or a payload. The first byte selects one
// of these. Before a payload come its specs, which end with a zero byte.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converters/uftrace/arguments/debug_files.h"
#include "converters/uftrace/arguments/payload_layout.h"
#include "converters/uftrace/arguments/spec_table.h"
#include "converters/uftrace/events/user_events.h"

namespace {

using namespace convert;
using namespace convert::uftrace;

class NoSymbols : public SymbolNames {
 public:
  explicit NoSymbols(NameId name) : name_(name) {}
  std::optional<NameId> symbol_at(std::uint64_t address) override {
    return address % 2 == 0 ? std::optional(name_) : std::nullopt;
  }

 private:
  NameId name_;
};

void read_payload(const std::string& text) {
  const std::size_t end = std::min(text.find('\0'), text.size());
  const auto payload = std::as_bytes(std::span(text)).subspan(std::min(end + 1, text.size()));
  SpecProblems problems;
  Names names;
  NoSymbols symbols(names.intern("symbol"));
  const EnumTypes enums{{"color", EnumType({{"MINUS", -1}, {"RED", 0}, {"GREEN", 5}, {"MASK", 256}}, names)}};
  const auto items = parse_spec_items(text.substr(0, end), {}, problems);
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const PayloadLayout layout(items, {.order = order, .names = names, .enums = enums});
    const auto size = layout.size_of(payload);
    if (!size) continue;
    if (*size > payload.size()) std::abort();
    Arguments into;
    layout.add_values(payload.first(*size), symbols, into);
    std::size_t count = 0;
    for ([[maybe_unused]] const Argument& argument : into) ++count;
    if (count != into.size()) std::abort();
  }
}

void read_specs(const std::string& text) {
  Names names;
  Notes notes;
  Info info;
  info.argument_lines = {"argspec:" + text, "retspec:" + text, "argauto:" + text, "enumauto:" + text,
                         "auto-args:1"};
  SpecTable table(info, "info", names, notes, notes);
  for (const bool of_result : {false, true}) {
    FunctionFacts function{.names = {"main", "std::f"}};
    function.debug = {.name = "main", .line = {}, .arguments = text, .results = text};
    function.is_in = [](std::string_view module) { return module.size() % 2 == 0; };
    for (const auto& items : table.candidate_layouts(function, of_result))
      if (items.empty()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(data + 1, data + size);
  Notes notes;
  switch (data[0]) {
    case 's':
      read_specs(text);
      break;
    case 'd': {
      Names names;
      const DebugFile file(text, "a.dbg", names, notes);
      for (std::uint64_t offset = 0; offset < 64; ++offset) location_of(file.find(offset, "main").line);
      break;
    }
    case 'n':
      parse_event_names(text, "events.txt", notes);
      break;
    case 'p':
      read_payload(text);
      break;
    default:
      break;
  }
  return 0;
}
