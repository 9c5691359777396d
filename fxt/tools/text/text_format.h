// Records as text, one line each: the format of fxt-dump, which goldens rely on.
//
//   KIND [TIME] [PID/TID] "CATEGORY" "NAME" FIELD=VALUE… "ARGUMENT"=TYPE:VALUE… ! PROBLEM
//
// Times are ticks as in the file. Strings are quoted, with \" \\ \n \r \t and \xNN for other control bytes
// and for bytes that are not UTF-8. A string or thread that was never registered is shown as ?INDEX.
#pragma once

#include <fmt/format.h>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

#include "fxt/kind.h"
#include "fxt/reader.h"

namespace fxt::tools {

using Text = fmt::memory_buffer;

template <typename... Values>
void append(Text& out, fmt::format_string<Values...> format, Values&&... values) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Values>(values)...);
}

// The record's line, without the line's end.
void append_line(Text& out, const Entry& entry);

void append_quoted(Text& out, std::string_view text);
void append_hex(Text& out, std::span<const std::byte> bytes);
std::string_view name_of(ThreadState state);

// The text with every byte that is not UTF-8 as U+FFFD.
std::string displayable(std::string_view text);

}  // namespace fxt::tools
