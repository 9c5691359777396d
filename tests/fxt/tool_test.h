// Runs programs as a user does. Each test has its own folder.
#pragma once

#include <array>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fxt/sample_trace.h"

namespace fxt::test {

struct Outcome {
  int exit_code = -1;
  std::string output;  // standard output and standard error
};

inline Outcome shell(const std::string& command) {
  Outcome outcome;
  std::FILE* pipe = popen(("{ " + command + "; } 2>&1").c_str(), "r");
  std::array<char, 4096> block = {};
  while (const std::size_t size = std::fread(block.data(), 1, block.size(), pipe))
    outcome.output.append(block.data(), size);
  const int status = pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

class ToolTest : public testing::Test {
 protected:
  ToolTest() { std::filesystem::create_directories(folder_); }
  ~ToolTest() override { std::filesystem::remove_all(folder_); }

  const std::string& folder() const { return folder_; }
  std::string file(const std::string& name, const Words& words, std::size_t cut_bytes = 0) {
    const auto bytes = bytes_of(words);
    std::ofstream(folder_ + name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size() - cut_bytes));
    return folder_ + name;
  }
  std::string file_with(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + name) << text;
    return folder_ + name;
  }

 private:
  std::string folder_ = testing::TempDir() + "tool_test." + std::to_string(getpid()) + "/";
};

}  // namespace fxt::test
