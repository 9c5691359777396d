// .gz outputs, compressed by several threads: blocks of equal size, each by itself but for the 32 KiB before
// it, joined to one stream that every reader of gzip takes. The bytes do not depend on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <future>
#include <span>
#include <vector>

#include "fxt/tools/files/compression.h"
#include "fxt/tools/files/output_file.h"

namespace fxt::tools {

class GzipStream final : public ByteStream {
 public:
  // Borrows `file`. With one job, no thread is started.
  GzipStream(OutputFile& file, unsigned jobs);
  void write(std::span<const std::byte> bytes) override;
  void finish() override;

 private:
  using Bytes = std::vector<std::byte>;
  struct Compressed {
    Bytes bytes;
    std::uint32_t checksum;  // of the plain bytes
    std::size_t plain_size;
  };

  static Compressed compress(const Bytes& block, std::size_t known, bool is_last);
  void hand_out(bool is_last);
  void take_in(const Compressed& block);

  OutputFile& file_;
  std::size_t jobs_;
  Bytes block_;            // what is known already, and what follows it
  std::size_t known_ = 0;  // of block_, bytes that the block before has
  std::deque<std::future<Compressed>> running_;
  std::uint32_t checksum_ = 0;
  std::uint64_t plain_size_ = 0;
};

}  // namespace fxt::tools
