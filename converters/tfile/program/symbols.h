// Names for addresses, from wherever they can be had: the traced program, a kernel's symbol list, or nowhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convert::tfile {

// What is known of a code address.
struct CodePlace {
  std::string function;              // the innermost, inlined or not, demangled; empty: unknown
  std::string source;                // "file:line"; empty: unknown
  std::vector<std::string> inlined;  // when functions are inlined there: all, innermost first; else empty
};

// A static object in the program, at its address in the recording.
struct DataObject {
  std::uint64_t address = 0;
  std::uint64_t size = 0;  // 0: unknown
};

// How the bytes of a variable are to be read.
enum class ValueType : std::uint8_t { Unknown, Signed, Unsigned, Float, Pointer };

struct LocalVariable {
  std::string name;
  ValueType type = ValueType::Unknown;
};

class Symbols {
 public:
  virtual ~Symbols() = default;
  virtual CodePlace code_at(std::uint64_t address) const = 0;
  virtual std::optional<DataObject> object(const std::string& name) const = 0;
  // True when object() knows all static objects of the program: a name it lacks is no static object.
  virtual bool knows_objects() const = 0;
  // The parameter or variable that lies at this offset from the frame base, visible at a code address.
  virtual std::optional<LocalVariable> local(std::uint64_t address, std::int64_t frame_offset) const = 0;
  // True when the frame base of the function at a code address is a register plus a number other than 0, and
  // not the register itself.
  virtual bool frame_base_adds(std::uint64_t address) const = 0;
  // The type of a variable visible at a code address.
  virtual ValueType type_of(std::uint64_t address, const std::string& name) const = 0;
};

}  // namespace convert::tfile
