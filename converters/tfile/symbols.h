// Names for addresses, from wherever they can be had: the traced program, a kernel's symbol list, or nowhere.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "converters/model/importer.h"
#include "converters/tfile/description.h"
#include "converters/tfile/trace_file.h"

namespace convert::tfile {

// What is known of a code address.
struct CodePlace {
  std::string function;              // demangled; empty: unknown
  std::string source;                // "file:line"; empty: unknown
  std::vector<std::string> inlined;  // functions inlined around the address, innermost first; then `function`
};

// A static object in the program, at its address in the recording.
struct DataObject {
  std::string name;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

class Symbols {
 public:
  virtual ~Symbols() = default;
  virtual CodePlace code_at(std::uint64_t address) const = 0;
  virtual std::optional<DataObject> object(const std::string& name) const = 0;
  // True when object() knows all static objects of the program: a name it lacks is no static object.
  virtual bool knows_objects() const = 0;
};

}  // namespace convert::tfile
