// Options of the command line, as the rooms of the importers describe them.
#pragma once

#include "fxt/support/options.h"

namespace convert {

using fxt::choice;
using fxt::flag;
using fxt::not_with;
using fxt::only_with;
using fxt::Option;
using fxt::parse_address;
using fxt::parse_count;
using fxt::parse_time_ns;
using fxt::store_in;
using fxt::UsageError;

}  // namespace convert
