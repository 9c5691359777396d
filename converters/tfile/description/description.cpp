#include "converters/tfile/description/description.h"

#include <bit>
#include <fmt/format.h>

#include "converters/tfile/description/hex.h"
#include "converters/tfile/description/note_kinds.h"

namespace convert::tfile {

bool DescriptionReader::read_line(std::string_view line) {
  ++line_number_;
  if (line.ends_with('\r')) line.remove_suffix(1);  // from a transfer as text
  if (line.empty()) {
    description_.is_complete = true;
    return false;
  }
  description_.text += line;
  description_.text += '\n';

  std::string_view rest = line;
  const std::string_view keyword = take_field(rest, ' ');
  if (keyword == "R") {
    read_register_size(rest);
  } else if (keyword == "tdesc") {
    if (!description_.target_xml.empty()) description_.target_xml += '\n';
    description_.target_xml += rest;
  } else if (keyword == "status") {
    read_status_line(rest);
  } else if (keyword == "tsv") {
    read_variable(rest);
  } else if (keyword == "tp") {
    if (const auto problem = tracepoints_.add_piece(rest)) damaged(*problem);
  } else {
    notes_.add(kUnknownLine, Location::line(path_, line_number_),
               fmt::format("'{}' is no known kind of line", keyword.substr(0, 40)));
  }
  return true;
}

void DescriptionReader::finish() {
  tracepoints_.finish();
  description_.locations = tracepoints_.locations();
  if (!description_.status)
    notes_.add(kNoStatus, Location::file(path_),
               "no status line: nobody knows how many frames there should be");
}

void DescriptionReader::read_register_size(std::string_view digits) {
  description_.register_digits = digits;
  if (const auto size = hex_number(digits))
    description_.register_block_size = *size;
  else
    damaged("register block size is no hexadecimal number");
}

void DescriptionReader::read_status_line(std::string_view payload) {
  std::vector<std::string> problems;
  description_.status = read_status(payload, problems);
  for (const std::string& problem : problems) damaged(problem);
}

// "<number>:<initial value>:<computed>:<name in hexadecimal>"
void DescriptionReader::read_variable(std::string_view payload) {
  const auto number = hex_number(take_field(payload, ':'));
  const auto initial = hex_number(take_field(payload, ':'));
  const auto computed = hex_number(take_field(payload, ':'));
  auto name = hex_text(take_field(payload, ':'));
  if (!number || !initial || !computed || !name) return damaged("damaged variable");
  description_.variables.push_back({.number = *number,
                                    .initial = std::bit_cast<std::int64_t>(*initial),
                                    .is_computed = *computed != 0,
                                    .name = std::move(*name)});
}

void DescriptionReader::damaged(std::string_view problem) {
  notes_.add(kDamagedLine, Location::line(path_, line_number_), problem);
}

}  // namespace convert::tfile
