// What a page of the kernel's ring buffer holds (uftrace.md, section 14.2): u64 timestamp, a long `commit`,
// and events, each behind a u32 header.
#pragma once

#include <bit>
#include <cstdint>

#include "fxt/field.h"

namespace convert::uftrace {

// `commit`.
struct PageCommit {
  using Size = fxt::Field<0, 26>;      // bytes of events
  using CountStored = fxt::Field<30>;  // a long behind the events says how many were lost
  using Lost = fxt::Field<31>;         // events were lost before this page
};

// `type_len` of an event's header: up to kMaxWords the words of its payload.
namespace type_len {
inline constexpr std::uint32_t kLong = 0;  // a u32 says the length: of the payload, and itself
inline constexpr std::uint32_t kMaxWords = 28;
inline constexpr std::uint32_t kPadding = 29;
inline constexpr std::uint32_t kTimeExtend = 30;
inline constexpr std::uint32_t kTimeStamp = 31;
}  // namespace type_len

// A C bit field of the kernel's: its order is that of the bytes.
struct RingHeader {
  using LittleTypeLen = fxt::Field<0, 4>;
  using LittleDelta = fxt::Field<5, 31>;  // ns since the event before
  using BigTypeLen = fxt::Field<27, 31>;
  using BigDelta = fxt::Field<0, 26>;

  std::uint32_t type_len;
  std::uint32_t delta;

  static RingHeader of(std::uint32_t word, std::endian order) {
    const bool is_little = order == std::endian::little;
    return {static_cast<std::uint32_t>(is_little ? LittleTypeLen::get(word) : BigTypeLen::get(word)),
            static_cast<std::uint32_t>(is_little ? LittleDelta::get(word) : BigDelta::get(word))};
  }
};

// A time whose lower bits are the header's delta.
struct LongTime {
  using Low = fxt::Field<0, 26>;
  using High = fxt::Field<27, 58>;
  using Epoch = fxt::Field<59, 63>;  // of an absolute one: those of the page's
};
static_assert(fxt::kTilesWord<LongTime::Low, LongTime::High, LongTime::Epoch>);

}  // namespace convert::uftrace
