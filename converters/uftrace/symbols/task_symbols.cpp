#include "converters/uftrace/symbols/task_symbols.h"

namespace convert::uftrace {

// A miss is not put into the cache: the address may have a line, too.
LabelId TaskSymbols::label(std::uint64_t address) const {
  const CallName* const known = cache_ != nullptr ? cache_->find(address) : nullptr;
  return known != nullptr ? known->label : symbolizer_.label(span_.epoch, address);
}

const CallName& TaskSymbols::name_of(std::uint64_t address) {
  if (const CallName* const known = cache_->find(address)) return *known;
  return cache_->put(address, {.label = symbolizer_.label(span_.epoch, address),
                               .line = lines_ != nullptr ? lines_->line_of(at(address)) : CallName::kNoLine});
}

}  // namespace convert::uftrace
