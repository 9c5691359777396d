#include "fxt/tools/program/asked_threads.h"

#include <algorithm>

#include "fxt/tools/program/selection.h"

namespace fxt::tools {

void AskedThreads::look_into(const Record& record) {
  const auto threads = threads_of(record);
  is_one_there_ = std::ranges::find_first_of(threads, koids_) != threads.end();
}

}  // namespace fxt::tools
