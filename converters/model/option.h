// Options of the command line, as the rooms of the importers describe them.
#pragma once

#include "fxt/tools/options/option.h"

namespace convert {

using fxt::tools::choice;
using fxt::tools::into;
using fxt::tools::Option;
using fxt::tools::parse_address;
using fxt::tools::parse_count;
using fxt::tools::parse_time_ns;
using fxt::tools::refuse_word;
using fxt::tools::UsageError;

}  // namespace convert
