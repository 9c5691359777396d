// Records as text, one line each: the format of fxt-dump, which goldens rely on.
//
//   KIND [TIME] [PID/TID] "CATEGORY" "NAME" FIELD=VALUE… "ARGUMENT"=TYPE:VALUE… ! PROBLEM
//
// Times are ticks as in the file. Strings are quoted, with \" \\ \n \r \t and \xNN for other control bytes
// and for bytes that are not UTF-8. A string or thread that was never registered is shown as ?INDEX.
#pragma once

#include "fxt/reader.h"
#include "fxt/records.h"
#include "fxt/support/text.h"

namespace fxt::tools {

void append_line(TextBuffer& out, const Entry& entry);

// Appends one argument as it is shown in a line: "NAME"=TYPE:VALUE.
void append_argument(TextBuffer& out, const Argument& argument);

// Appends "thread", "process", "global", or the number of another scope.
void append_scope(TextBuffer& out, InstantScope scope);

// Appends the record as a JSON object, without the line end: the format of fxt-dump --json. Members are named
// as in the spec. Numbers that JSON can't represent are the strings "nan", "inf" and "-inf". Each ill-formed
// part of a text becomes U+FFFD. Payloads are hexadecimal.
void append_json(TextBuffer& out, const Entry& entry);

}  // namespace fxt::tools
