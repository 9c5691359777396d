// Reads any bytes as the ELF file of a module without a .sym file: its symbols, and the functions and
// variables in its DWARF.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "converters/model/reading/input_error.h"
#include "converters/symbols/dwarf_info.h"
#include "converters/symbols/elf_symbols.h"
#include "tests/symbols/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace convert;
  static const MemoryFile memory;
  memory.write({reinterpret_cast<const char*>(data), size});
  try {
    const InputFile file{fxt::FilePlace(memory.path())};
    const ElfImage image(file);
    image.debug_link();
    DwarfInfo dwarf(image, image.base());
    const auto alone = read_elf_symbols(image, nullptr);
    const auto with_itself = read_elf_symbols(image, &image);
    if (alone == nullptr) return 0;
    alone->find_function(0x1000);
    alone->find_variable(0x1000);
    for (const Symbol& symbol : alone->symbols()) {
      dwarf.function_at(symbol.start);
      dwarf.variable_at(symbol.start);
    }
  } catch (const convert::InputError&) {
    return 0;
  }
  return 0;
}
