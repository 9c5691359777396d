// Times and sizes as people write them in options: `250`, `1.5us`, `2min`; `64k`, `1.5GB`, `100MiB`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fxt {

// What parse_time_ns() takes, for messages.
inline constexpr std::string_view kTimeForm =
    "a time such as 250, 1.5us, 20ms or 2s (units: ns, us, ms, s, m, h; ns without one)";

// Digits, perhaps with a decimal point, and a unit in any case (those of kTimeForm, or nsec, usec, msec, sec,
// min, hour). Exact, and rounded down to whole ns. Nothing if it is no such text, or 2^63 ns and more.
std::optional<std::uint64_t> parse_time_ns(std::string_view text);

// What parse_size() takes, for messages.
inline constexpr std::string_view kSizeForm =
    "a size such as 500k, 100M or 1.5GiB (k, M, G are thousands, Ki, Mi, Gi of 1024)";

// The same for a size in bytes; a B may end its unit.
std::optional<std::uint64_t> parse_size(std::string_view text);

}  // namespace fxt
