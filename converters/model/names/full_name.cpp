#include "converters/model/names/full_name.h"

#include <csetjmp>
#include <cstddef>
#include <cstring>
#define HAVE_DECL_BASENAME 1  // else the header declares its own basename(), against <cstring>
#include <libiberty/demangle.h>
#include <memory>

#include "converters/model/names/cpp_name.h"
#include "converters/model/names/rust_v0_name.h"

namespace convert {
namespace {

// libiberty hands out a name piece by piece. A hundred hostile bytes can make gigabytes of text, so the
// writing is left by longjmp when it becomes too long; all that lies between are C frames that hold nothing
// to release.
struct Pieces {
  static constexpr std::size_t kLimitBytes = 32'000;
  std::jmp_buf too_long;
  std::size_t size = 0;
  char text[kLimitBytes];
};

extern "C" void append_piece(const char* piece, std::size_t size, void* opaque) {
  auto& pieces = *static_cast<Pieces*>(opaque);
  if (size > Pieces::kLimitBytes - pieces.size) std::longjmp(pieces.too_long, 1);
  std::memcpy(pieces.text + pieces.size, piece, size);
  pieces.size += size;
}

// Nothing in here may need a destructor.
bool write_cpp_name(const char* symbol, int options, Pieces& pieces) {
  if (setjmp(pieces.too_long) != 0) return false;
  return cplus_demangle_v3_callback(symbol, options, append_piece, &pieces) != 0;
}

bool write_rust_name(const char* symbol, Pieces& pieces) {
  if (setjmp(pieces.too_long) != 0) return false;
  return rust_demangle_callback(symbol, DMGL_NO_OPTS, append_piece, &pieces) != 0;
}

}  // namespace

std::optional<std::string> full_name(std::string_view symbol, Parameters parameters) {
  const int options = parameters == Parameters::Shown ? DMGL_PARAMS | DMGL_ANSI : DMGL_ANSI;
  const std::string plain(symbol.substr(0, symbol.find('@')));  // without "@GLIBC_2.4"
  const auto pieces = std::make_unique<Pieces>();
  if (symbol.starts_with("_R")) {
    // Where Punycode is decoded there would be something to release, so nothing too long may begin.
    if (is_harmless_rust_name(plain) && write_rust_name(plain.c_str(), *pieces))
      return std::string(pieces->text, pieces->size);
    return std::nullopt;
  }
  if (write_rust_name(plain.c_str(), *pieces)) return std::string(pieces->text, pieces->size);
  pieces->size = 0;
  if (is_harmless_cpp_name(plain) && write_cpp_name(plain.c_str(), options, *pieces))
    return std::string(pieces->text, pieces->size);
  return std::nullopt;
}

}  // namespace convert
