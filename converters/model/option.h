// The means with which importers describe their command-line options.
#pragma once

#include "converters/model/notes.h"
#include "fxt/support/options.h"

namespace convert {

using fxt::choice;
using fxt::each;
using fxt::each_time;
using fxt::flag;
using fxt::not_with;
using fxt::only_with;
using fxt::Option;
using fxt::store_in;
using fxt::UsageError;

inline constexpr NoteKind kOptionUnused{"option-unused", "options that have no effect on any INPUT", true};

}  // namespace convert
