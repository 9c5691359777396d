#include "tests/uftrace/filters/tree.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>

namespace convert::uftrace {
namespace {

enum : std::uint64_t {
  kMain = 0x401000,
  kA = 0x401080,
  kB = 0x401100,
  kC = 0x401180,
  kD = 0x401200,
  kE = 0x401280,
  kF = 0x401300,
  kCb = 0x401380,
  kExt = 0x401400,
};

}  // namespace

void write_tree(RecordingBuilder& recording) {
  recording.file("demo.sym",
                 "0000000000001000 00000080 T main\n0000000000001080 00000080 T a\n"
                 "0000000000001100 00000080 T b\n0000000000001180 00000080 T c\n"
                 "0000000000001200 00000080 T d\n0000000000001280 00000080 T e\n"
                 "0000000000001300 00000080 T f\n0000000000001380 00000040 T cb\n"
                 "0000000000001400 00000010 P ext\n");
  constexpr std::uint64_t kOrigin = 1'000'000;
  const auto at = [](std::uint64_t tenths) { return kOrigin + tenths * 100; };
  const auto in = [&](std::uint64_t tenths, std::uint64_t depth, std::uint64_t address) {
    recording.entry(at(tenths), depth, address);
  };
  const auto out = [&](std::uint64_t tenths, std::uint64_t depth, std::uint64_t address) {
    recording.exit(at(tenths), depth, address);
  };
  in(0, 0, kMain);
  in(10, 1, kA), in(20, 2, kB), in(30, 3, kC), out(40, 3, kC), out(150, 2, kB), out(200, 1, kA);
  in(210, 1, kD), in(220, 2, kB), in(230, 3, kC), in(240, 4, kE);
  out(300, 4, kE), out(400, 3, kC), out(500, 2, kB), out(600, 1, kD);
  in(610, 1, kF), out(620, 1, kF);
  in(630, 1, kExt), in(640, 2, kCb), in(641, 3, kE), out(645, 3, kE), out(650, 2, kCb), out(700, 1, kExt);
  out(1000, 0, kMain);
}

FilterOptions filters_of(const std::vector<std::string>& words) {
  FilterOptions filters;
  const std::vector<Option> options = options_of(filters);
  for (auto word = words.begin(); word != words.end(); ++word) {
    const auto option = std::ranges::find_if(options, [&](const Option& known) {
      return *word == "--" + known.name || *word == std::string("-") + known.letter;
    });
    if (option == options.end()) throw std::logic_error("no such option: " + *word);
    fxt::take({.option = &*option, .value = option->argument.empty() ? "" : *++word});
  }
  return filters;
}

std::string tree_of(const std::vector<std::string>& lines) {
  std::string tree;
  std::vector<unsigned long> ends;
  for (const std::string& line : lines) {
    unsigned long begin = 0, end = 0;
    int name = 0;
    if (std::sscanf(line.c_str(), "%*u/%*u [%lu, %lu] demo:%n", &begin, &end, &name) != 2 || name == 0)
      continue;
    bool is_behind = false;
    for (; !ends.empty() && ends.back() <= begin; ends.pop_back()) {
      if (is_behind) tree += '}';
      is_behind = true;
    }
    if (!tree.empty()) tree += is_behind ? ' ' : '{';
    tree += line.substr(static_cast<std::size_t>(name),
                        line.find(' ', static_cast<std::size_t>(name)) - static_cast<std::size_t>(name));
    ends.push_back(end);
  }
  if (!ends.empty()) tree.append(ends.size() - 1, '}');
  return tree;
}

}  // namespace convert::uftrace
