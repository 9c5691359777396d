// What lies behind a record with the `more` bit. The record does not tell (uftrace.md, section 8.2): who
// knows the specs of arguments does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "converters/model/lanes/argument.h"
#include "converters/uftrace/records/records.h"

namespace convert::uftrace {

// A payload has at most 1020 bytes of arguments, padded to 8 (section 9.1).
inline constexpr std::size_t kMaxPayload = 1024;

// Records begin at multiples of this.
inline constexpr std::size_t padded(std::size_t bytes) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  return (bytes + kWord - 1) / kWord * kWord;
}

// An entry or exit, understood: its depth and address are the true ones, whatever the producer made of them.
struct CallRecord {
  RecordType type;
  std::uint64_t time_ns;
  std::size_t depth;
  std::uint64_t address;

  bool is_entry() const { return type == RecordType::Entry; }
};

class PayloadDecoder {
 public:
  virtual ~PayloadDecoder() = default;

  // How many bytes, without the padding, the `reading`th likely reading of what lies behind `call` takes;
  // candidate_layouts count from 0, the likeliest first. Nothing if there is no such reading, or no room for
  // it. `behind` begins right behind the record; it has at least kMaxPayload bytes unless the file ends with
  // it.
  virtual std::optional<std::size_t> size_of(const CallRecord& call, std::span<const std::byte> behind,
                                             unsigned reading) = 0;
  // The values of the reading that was right; `payload` has exactly its size.
  virtual void add_values(const CallRecord& call, std::span<const std::byte> payload, unsigned reading,
                          Arguments& into) = 0;
  // One of them that is a number, typed as it was recorded; nothing if there is none of that name.
  virtual std::optional<Argument> number(const CallRecord& call, std::span<const std::byte> payload,
                                         unsigned reading, NameId name) = 0;
  // Whether values of that name are recorded at the entries, or exits, of the call's function.
  virtual bool records(const CallRecord& call, NameId name) = 0;
};

}  // namespace convert::uftrace
