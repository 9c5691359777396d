#include "fxt/tools/trace_format.h"

#include <algorithm>
#include <array>
#include <utility>

#include "fxt/tools/json_stream.h"

namespace fxt::tools {
namespace {

template <typename Stream>
std::unique_ptr<FormatStream> make_stream(std::unique_ptr<ByteStream> next) {
  return std::make_unique<Stream>(std::move(next));
}

// A new format adds its line here.
constexpr std::array kFormats{
    TraceFormat{.word = "fxt", .suffix = ".fxt", .text = "an FXT trace"},
    TraceFormat{.word = "json",
                .suffix = ".json",
                .text = "a JSON trace",
                .kind = {.is_one = is_json_trace, .name = "a JSON trace"},
                .is_text = true,
                .is_exact_in_pairs = true,
                .convert = make_stream<JsonStream>},
};

}  // namespace

std::span<const TraceFormat> trace_formats() { return kFormats; }

const TraceFormat& format_of(std::string_view path) {
  path.remove_suffix(packed_suffix(path).size());
  const auto format =
      std::ranges::find_if(kFormats, [&](const TraceFormat& one) { return path.ends_with(one.suffix); });
  return format != kFormats.end() ? *format : kFormats.front();
}

}  // namespace fxt::tools
