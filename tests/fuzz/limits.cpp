// A part of each fuzz target. An input is a finding if the code under test uses more memory than SECURITY.md
// allows. (Inputs that take too long are found by -timeout in scripts/fuzz.) To find such inputs, a mutation
// repeats parts of the input.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <sanitizer/allocator_interface.h>
#include <vector>

extern "C" int run_target(const std::uint8_t* data, std::size_t size);
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

constexpr std::int64_t kMaxHeldBytes = std::int64_t{256} << 20;

// Bytes that were allocated since the run with the current input began, minus bytes that were freed since
// then. Thus memory that the fuzzer allocated earlier is not counted.
std::atomic<std::int64_t> held_bytes;
bool is_running = false;

void allocated(const volatile void* /*block*/, std::size_t size) {
  if (held_bytes.fetch_add(static_cast<std::int64_t>(size)) + static_cast<std::int64_t>(size) <=
          kMaxHeldBytes ||
      !is_running)
    return;
  is_running = false;
  std::fputs("fuzz: the input makes the program hold more than 256 MiB\n", stderr);
  std::abort();
}

void freed(const volatile void* block) {
  if (block != nullptr)
    held_bytes -= static_cast<std::int64_t>(__sanitizer_get_allocated_size(const_cast<const void*>(block)));
}

// Repeats a part of the input, for example a line, a record or a field.
std::size_t multiply(std::uint8_t* data, std::size_t size, std::size_t max_size, std::mt19937& random) {
  const auto below = [&random](std::size_t limit) { return static_cast<std::size_t>(random()) % limit; };
  const std::size_t from = below(size);
  const std::size_t part = 1 + below(std::min<std::size_t>(size - from, 1 + below(2) * 255 + 15));
  const std::size_t times = std::min(std::size_t{1} << below(17), (max_size - size) / part);
  const std::size_t added = part * times;
  const std::vector<std::uint8_t> pattern(data + from, data + from + part);
  std::memmove(data + from + added, data + from, size - from);
  for (std::size_t i = 0; i < times; ++i) std::memcpy(data + from + i * part, pattern.data(), part);
  return size + added;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  return __sanitizer_install_malloc_and_free_hooks(&allocated, &freed) != 0 ? 0 : -1;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  held_bytes = 0;
  is_running = true;
  const int result = run_target(data, size);
  is_running = false;
  return result;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  constexpr unsigned kMultipliesOneIn = 16;
  std::mt19937 random(seed);
  if (random() % kMultipliesOneIn == 0 && size != 0 && size < max_size)
    return multiply(data, size, max_size, random);
  return LLVMFuzzerMutate(data, size, max_size);
}
