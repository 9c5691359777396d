// Records as JSON, one object a line: the format of fxt-dump --json.
//
//   {"offset":…,"kind":"complete","time":…,"end":…,"thread":{"process":…,"thread":…},"category":"…",
//    "name":"…","arguments":[{"name":"…","type":"u32","value":…}],"problems":["…"]}
//
// Members that a kind does not have are left out. Times are ticks. 64-bit numbers are numbers; doubles that
// JSON can't say are the strings "nan", "inf" and "-inf". Text that is not UTF-8 has U+FFFD in it, payloads
// are hexadecimal text. A string or thread that was never registered is {"missing":INDEX}.
#pragma once

#include "fxt/tools/text/text_format.h"

namespace fxt::tools {

// The record's object, without the line's end.
void append_json(TextBuffer& out, const Entry& entry);

}  // namespace fxt::tools
