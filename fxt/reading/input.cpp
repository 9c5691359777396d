// Streams as inputs, and ends in words.
#include "fxt/input.h"

#include <istream>

namespace fxt {

std::size_t StreamInput::read(std::span<std::byte> room) {
  in_->read(reinterpret_cast<char*>(room.data()), static_cast<std::streamsize>(room.size()));
  return static_cast<std::size_t>(in_->gcount());
}

std::string describe(const ReadEnd& end) {
  switch (end.reason) {
    case ReadEnd::Reason::NotYet:
    case ReadEnd::Reason::EndOfFile:
      return "";
    case ReadEnd::Reason::Truncated:
      return "truncated: the last record lacks " + std::to_string(end.missing_bytes) + " bytes";
    case ReadEnd::Reason::SizeZero:
      return "record of size 0: what follows can't be found";
    case ReadEnd::Reason::NoMagic:
      return "not a trace: the first word is not the magic number record";
  }
  return "";
}

}  // namespace fxt
