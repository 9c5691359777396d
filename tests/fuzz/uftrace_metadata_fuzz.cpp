// Reads any bytes as a metadata file of a uftrace recording, or as symbol names. The first byte selects the
// file. The only allowed exception is an InputError, which names the location.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "converters/model/notes.h"
#include "converters/model/reading/input_error.h"
#include "converters/symbols/demangle.h"
#include "converters/symbols/symbol_table.h"
#include "converters/uftrace/recording/extern_file.h"
#include "converters/uftrace/recording/info.h"
#include "converters/uftrace/recording/map_file.h"
#include "converters/uftrace/recording/task_file.h"
#include "converters/uftrace/symbols/module_files.h"

using convert::Demangle;
using convert::Notes;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(data + 1, data + size);
  Notes notes;
  switch (data[0]) {
    case 'i':
      try {
        convert::uftrace::parse_info(text, "info", notes);
      } catch (const convert::InputError&) {
        return 0;
      }
      break;
    case 't':
      convert::uftrace::parse_task_text(text, "task.txt", notes);
      break;
    case 'b':
      convert::uftrace::parse_task_binary(text, "task", std::endian::little, notes);
      break;
    case 'm':
      if (const auto map = convert::uftrace::parse_map(text, "sid-0.map", notes); !map.modules.empty())
        map.find(map.modules.front().start);
      break;
    case 's': {
      convert::uftrace::parse_module_file_header(text);
      const convert::SymbolTable table(text);
      for (const auto& symbol : table.symbols()) {
        table.find_function(symbol.start);
        table.find_variable(symbol.end);
      }
      break;
    }
    case 'x': {
      auto messages = convert::uftrace::parse_extern(text, "extern.dat", notes);
      convert::uftrace::drop_foreign_messages(messages, "", 1'000'000'000, std::nullopt, notes);
      convert::uftrace::sort_by_time(messages, "", notes);
      break;
    }
    case 'd':
      convert::demangle(text, Demangle::Simple);
      convert::demangle(text, Demangle::Full);
      break;
    default:
      break;
  }
  return 0;
}
