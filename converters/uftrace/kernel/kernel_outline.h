// What the kernel left in a recording, for `--inspect`.
#pragma once

#include "converters/model/notes.h"
#include "converters/model/outline.h"
#include "converters/uftrace/recording/directory.h"

namespace convert::uftrace {

// Pages, formats, and a list by cpu. What is wrong with the files is noted.
Outline outline_of_kernel(const Directory& directory, Notes& notes);

}  // namespace convert::uftrace
