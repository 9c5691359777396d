// What a forked child needs of its parent before either is converted: the calls that were open at the fork,
// and the call that its arrow comes from. A light walk over the parent's records, up to the last fork.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace convert::uftrace {

struct ForkQuery {
  std::uint64_t fork_ns;  // as the child stamped it
  // The child's first record, if it is an exit: of the call that forked. The child stamps the fork when the
  // parent may already have gone on, so this tells better than the time which of the parent's calls it left
  // from.
  struct FirstExit {
    std::size_t depth;
    std::uint64_t address;
  };
  std::optional<FirstExit> first_exit;
};

struct ForkAnswer {
  std::vector<std::uint64_t> open_addresses;  // outermost first
  std::uint64_t left_from_ns = 0;             // when the call of `first_exit` was entered last; 0: never
  // The parent's latest call that began at or before the fork: the offset of its entry, and its depth.
  std::optional<std::uint64_t> entry_offset;
  std::size_t entry_depth = 0;
};

// `queries` must be in the order of fork_ns; the answers are too. `inherited` is what the parent itself
// started with. Throws InputError if the file can't be read.
std::vector<ForkAnswer> scan_forks(const std::string& path, std::endian order,
                                   std::vector<std::uint64_t> inherited,
                                   const std::vector<ForkQuery>& queries,
                                   const std::function<bool(std::uint64_t address)>& is_code);

// True if the start of the file holds an entry or exit: a thread without one has no call for an arrow to end
// in. Throws InputError if it can't be read.
bool shows_a_call(const std::string& path, std::endian order);

// The first record of a file, if it is an exit.
std::optional<ForkQuery::FirstExit> first_exit_of(const std::string& path, std::endian order);

}  // namespace convert::uftrace
