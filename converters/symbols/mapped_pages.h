// The memory of files that libelf has mapped.
#pragma once

#include <libelf.h>

namespace convert {

// Pages of a mapped file count as memory of this program as soon as they are read. This function gives them
// back. If they are read again, the system maps them again, usually without access to the disk. Should be
// called after a search through the file. Must not be called for object files, because libelf changes them.
void release_pages(Elf* elf);

}  // namespace convert
