// Makes a large, valid uftrace recording for measurements: random call trees in the layout that `uftrace
// record` writes. The same options give the same bytes.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/program_options.hpp>

#include "fxt/field.h"

namespace {

// The second word of a record in `<TID>.dat`. The first word is the time in ns.
struct RecordWord {
  using Kind = fxt::Field<0, 1>;
  using More = fxt::Field<2>;
  using Magic = fxt::Field<3, 5>;
  using Depth = fxt::Field<6, 15>;
  using Address = fxt::Field<16, 63>;
};
static_assert(fxt::kTilesWord<RecordWord::Kind, RecordWord::More, RecordWord::Magic, RecordWord::Depth,
                              RecordWord::Address>);

enum class Kind : std::uint8_t { Entry = 0, Exit = 1 };

constexpr std::uint64_t kRecordMagic = 5;
constexpr unsigned kMaxDepth = 1023;  // maximum depth that the field can hold

// The functions whose names match the pattern before the @ have the arguments after it.
constexpr std::string_view kArguments = "take.@arg1/i64,arg2/i32,arg3/u64,arg4/s";
constexpr std::array<std::string_view, 8> kTexts = {"id",
                                                    "name",
                                                    "color",
                                                    "/etc/hosts",
                                                    "a longer key, of 26 bytes.",
                                                    "user@example.org",
                                                    "17",
                                                    "Gr\xc3\xbc\xc3\x9f\x65"};
constexpr std::size_t kMaxPayloadWords = 8;

constexpr std::uint64_t kModuleBase = 0x55d0'4c20'0000;
constexpr std::uint64_t kTextOffset = 0x1000;
constexpr std::uint64_t kFunctionSize = 0x40;
// offset of the recorded address in a function, after the call of mcount() that -pg inserts
constexpr std::uint64_t kEntryPoint = 0xd;
constexpr std::uint64_t kPageSize = 0x1000;

constexpr unsigned kProcessId = 4000;
constexpr std::uint64_t kStartNs = 1'000'000'000'000;
constexpr std::string_view kSession = "5eed5eed5eed5eed";
constexpr std::string_view kProgram = "/opt/bench/program";

struct Options {
  std::filesystem::path directory;
  unsigned threads = 1;
  std::uint64_t records = 1'000'000;  // number for each thread
  unsigned functions = 1000;
  unsigned depth = 20;
  std::uint64_t clock_ns = 1;
  std::uint64_t step_ns = 60;
  std::uint64_t switch_every = 0;
  bool arguments = false;  // half of the calls have arguments
  std::uint64_t seed = 1;
};

// The recorded address of a function. Function 0 is main, function 1 the first function of other threads.
constexpr std::uint64_t address_of(std::uint64_t function) {
  return kModuleBase + kTextOffset + function * kFunctionSize + kEntryPoint;
}

// The functions of a program, by number: how often each is called, and which of them have arguments.
struct Functions {
  // Each call is of a random entry of this list. A function with more entries is called more often.
  std::vector<std::uint32_t> draws;
  std::vector<bool> take_arguments;

  // Half of the names are C and half are C++, as in a real program.
  std::string symbol(unsigned function) const {
    if (function == 0) return "main";
    if (function == 1) return "worker";
    const bool takes = take_arguments[function];
    if (function % 2 == 0) return fmt::format("{}_item_{:05}", takes ? "take" : "parse", function);
    const std::string type = fmt::format("Stage{:05}", function);
    return fmt::format("_ZN6engine{}{}{}EPKvm", type.size(), type, takes ? "8takeItem" : "7process");
  }
};

// The random call tree of one thread, with `main` or `worker` as the root. All calls end.
class ThreadWalk {
 public:
  ThreadWalk(const Options& options, unsigned thread, const Functions& functions)
      : options_(options),
        functions_(functions),
        random_(options.seed * 1000 + thread),
        raw_ns_(kStartNs + thread * options.step_ns * 100),
        remaining_(options.records) {
    stack_.reserve(options.depth);
    root_ = address_of(thread == 0 ? 0 : 1);
  }

  bool done() const { return remaining_ == 0; }

  // Writes records into `words` until all records are written or no more fit. Returns the number of written
  // words. Appends the times of the records to `times`.
  std::size_t fill(std::span<std::uint64_t> words, std::vector<std::uint64_t>& times) {
    std::size_t used = 0;
    for (; used + 2 + kMaxPayloadWords <= words.size() && remaining_ > 0; --remaining_) {
      times.push_back(words[used++] = next_time());
      words[used++] = next_record();
      if (RecordWord::More::get(words[used - 1]) != 0) used += put_arguments(words.subspan(used));
    }
    return used;
  }

 private:
  std::uint64_t next_time() {
    bits_ = random_();
    const std::uint64_t spread = std::max<std::uint64_t>(options_.step_ns, 1);
    const bool slow = (bits_ & 0xfff) == 0;  // occasionally a call takes long
    raw_ns_ += 1 + bits_ % (2 * spread) + (slow ? 100 * spread : 0);
    return raw_ns_ / options_.clock_ns * options_.clock_ns;
  }

  std::uint64_t next_record() {
    if (stack_.empty()) return enter(root_);
    const bool must_end = remaining_ <= stack_.size() || stack_.size() == options_.depth;
    // The root stays open until the last record.
    const bool must_begin = stack_.size() == 1 && !must_end;
    const std::uint64_t dice = std::rotr(bits_, 20);
    if (must_begin || (!must_end && (dice & 1) == 0)) {
      const std::uint32_t function = functions_.draws[std::rotr(bits_, 32) % functions_.draws.size()];
      return enter(address_of(function)) | RecordWord::More::put(functions_.take_arguments[function] ? 1 : 0);
    }
    const std::uint64_t address = stack_.back();
    stack_.pop_back();
    return word(Kind::Exit, address);
  }

  std::uint64_t enter(std::uint64_t address) {
    const std::uint64_t record = word(Kind::Entry, address);
    stack_.push_back(address);
    return record;
  }

  // Stores the arguments of a call, each at a multiple of 4 bytes. Pads the end to a multiple of 8 bytes.
  // Returns the number of words.
  std::size_t put_arguments(std::span<std::uint64_t> words) const {
    std::array<char, kMaxPayloadWords * sizeof(std::uint64_t)> bytes{};
    std::size_t size = 0;
    const auto put = [&](const void* from, std::size_t count) {
      std::memcpy(bytes.data() + size, from, count);
      size += count;
    };
    const auto number = static_cast<std::int64_t>(bits_) / 4096;
    const auto index = static_cast<std::int32_t>(bits_ % 10'000) - 100;
    const std::string_view text = kTexts[std::rotr(bits_, 12) % kTexts.size()];
    const auto length = static_cast<std::uint16_t>(text.size());
    put(&number, sizeof number);
    put(&index, sizeof index);
    put(&remaining_, sizeof remaining_);
    put(&length, sizeof length);
    put(text.data(), text.size());
    const std::size_t count = (size + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
    std::memcpy(words.data(), bytes.data(), count * sizeof(std::uint64_t));
    return count;
  }

  std::uint64_t word(Kind kind, std::uint64_t address) const {
    return RecordWord::Kind::put(static_cast<std::uint64_t>(kind)) | RecordWord::Magic::put(kRecordMagic) |
           RecordWord::Depth::put(stack_.size()) | RecordWord::Address::put(address);
  }

  const Options& options_;
  const Functions& functions_;
  std::mt19937_64 random_;
  std::uint64_t bits_ = 0;
  std::uint64_t raw_ns_;
  std::uint64_t remaining_;
  std::uint64_t root_ = 0;
  std::vector<std::uint64_t> stack_;
};

// Chooses how often each function is called. The n-th most popular function has about 1/n of the entries that
// the most popular function has in the list (Zipf's law), but at least one. With the option for arguments,
// about half of the calls have arguments.
Functions functions_of(const Options& options) {
  const unsigned functions = options.functions;
  constexpr double kDraws = 1 << 16;
  double all = 0;
  for (unsigned rank = 1; rank <= functions; ++rank) all += 1.0 / rank;
  std::vector<std::uint32_t> draws;
  for (unsigned rank = 1; rank <= functions; ++rank)
    draws.insert(draws.end(), static_cast<std::size_t>(kDraws / all / rank) + 1, rank + 1);
  // Functions of similar popularity must not be neighbors in memory.
  std::mt19937_64 random(functions);
  std::vector<std::uint32_t> numbers(functions);
  for (unsigned i = 0; i < functions; ++i) numbers[i] = i + 2;
  std::shuffle(numbers.begin(), numbers.end(), random);
  std::vector<bool> take_arguments(functions + 2);
  if (options.arguments) {
    std::int64_t more_without = 0;
    for (unsigned rank = 1; rank <= functions; ++rank) {
      const bool takes = more_without > 0;
      const std::int64_t calls = std::ranges::count(draws, rank + 1);
      more_without += takes ? -calls : calls;
      take_arguments[numbers[rank - 1]] = takes;
    }
  }
  for (std::uint32_t& draw : draws) draw = numbers[draw - 2];
  return {.draws = std::move(draws), .take_arguments = std::move(take_arguments)};
}

// The context switches of all threads, on two CPUs.
class Switches {
 public:
  explicit Switches(std::uint64_t every) : every_(every) {}

  // Between two records, the thread sometimes leaves its CPU.
  void add(unsigned thread, std::span<const std::uint64_t> times) {
    if (every_ == 0) return;
    for (std::size_t i = every_; i + 1 < times.size(); i += every_) {
      const std::uint64_t before_ns = times[i], behind_ns = times[i + 1];
      if (behind_ns < before_ns + 3) continue;
      add(thread, before_ns + 1, before_ns % 2 == 0 ? kOut : kOut | kPreempted);
      add(thread, behind_ns - 1, 0);
    }
  }
  // The words of the CPUs' files, by the number of the CPU.
  std::array<std::vector<std::uint64_t>, 2> files() {
    std::array<std::vector<std::uint64_t>, 2> words;
    for (std::size_t cpu = 0; cpu < cpus_.size(); ++cpu) {
      std::ranges::stable_sort(cpus_[cpu], {}, &Switch::time_ns);
      for (const auto& [time_ns, header, thread] : cpus_[cpu])
        words[cpu].insert(words[cpu].end(), {header, kProcessId | thread << 32, time_ns});
    }
    return words;
  }

 private:
  struct Switch {
    std::uint64_t time_ns, header, thread;
  };
  static constexpr std::uint64_t kOut = 0x2000, kPreempted = 0x4000;  // misc
  static constexpr std::uint64_t kType = 14, kSize = 24;

  void add(unsigned thread, std::uint64_t time_ns, std::uint64_t misc) {
    cpus_[count_++ / 3 % 2].push_back({time_ns, kType | misc << 32 | kSize << 48, kProcessId + thread});
  }

  std::uint64_t every_;
  std::uint64_t count_ = 0;
  std::array<std::vector<Switch>, 2> cpus_;
};

class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path) : path_(path), out_(path, std::ios::binary) {
    check();
  }
  void write(std::string_view text) {
    out_.write(text.data(), static_cast<std::streamsize>(text.size()));
    check();
  }
  void write(std::span<const std::uint64_t> words) {
    out_.write(reinterpret_cast<const char*>(words.data()), static_cast<std::streamsize>(words.size_bytes()));
    check();
  }

 private:
  void check() const {
    if (!out_) throw std::runtime_error(fmt::format("{}: cannot be written", path_.string()));
  }

  std::filesystem::path path_;
  std::ofstream out_;
};

std::string timestamp(std::uint64_t time_ns) {
  return fmt::format("{}.{:09}", time_ns / 1'000'000'000, time_ns % 1'000'000'000);
}

// The file `info`: a header of 40 bytes, then text lines in the order of the bits in kLines.
std::string info(const Options& options) {
  constexpr std::array<std::uint8_t, 8> kMagic = {'F', 't', 'r', 'a', 'c', 'e', '!', 0};
  constexpr std::uint64_t kFeatures = 0b110'0010;  // TASK_SESSION, SYM_REL_ADDR, MAX_STACK
  constexpr std::uint64_t kPerfEvent = 0b1'0000'0000;
  constexpr std::uint64_t kWithArguments = 0b10'0000'1000;  // ARGUMENT, AUTO_ARGS
  constexpr std::uint64_t kArgumentLines = fxt::Field<10>::put(1);
  constexpr std::uint64_t kLines = fxt::Field<0>::put(1) | fxt::Field<2>::put(1) |
                                   fxt::Field<3>::put(1) |  // exename, exit status, command
                                   fxt::Field<7>::put(1) | fxt::Field<12>::put(1) |
                                   fxt::Field<13>::put(1);  // threads, patterns, version
  std::string text(kMagic.begin(), kMagic.end());
  const auto append = [&text](std::uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i, value /= 256) text.push_back(static_cast<char>(value % 256));
  };
  append(4, 4);   // version
  append(40, 2);  // header size
  append(1, 1);   // little endian
  append(2, 1);   // 64 bit
  append(kFeatures | (options.switch_every != 0 ? kPerfEvent : 0) | (options.arguments ? kWithArguments : 0),
         8);
  append(kLines | (options.arguments ? kArgumentLines : 0), 8);
  append(kMaxDepth + 1, 2);  // max stack
  append(0, 6);

  std::string tids;
  for (unsigned thread = 0; thread < options.threads; ++thread)
    tids += fmt::format("{}{}", thread == 0 ? "" : ",", kProcessId + thread);
  text += fmt::format(
      "exename:{0}\nexit_status:0\ncmdline:uftrace record {0}\n"
      "taskinfo:lines=2\ntaskinfo:nr_tid={1}\ntaskinfo:tids={2}\n{3}"
      "pattern_type:regex\nuftrace_version:v0.13 ( x86_64 )\n",
      kProgram, options.threads, tids,
      options.arguments ? fmt::format("argspec:lines=1\nargspec:{}\n", kArguments) : "");
  return text;
}

std::string tasks(const Options& options) {
  std::string text = fmt::format("SESS timestamp={} pid={} sid={} exename=\"{}\"\n",
                                 timestamp(kStartNs - 2000), kProcessId, kSession, kProgram);
  for (unsigned thread = 0; thread < options.threads; ++thread)
    text += fmt::format("TASK timestamp={} tid={} pid={}\n", timestamp(kStartNs - 1000), kProcessId + thread,
                        kProcessId);
  return text;
}

std::string symbols(const Options& options, const Functions& functions) {
  std::string text = fmt::format("# symbols: {}\n# path name: {}\n", options.functions + 2, kProgram);
  for (unsigned function = 0; function < options.functions + 2; ++function)
    text += fmt::format("{:016x} T {}\n", kTextOffset + function * kFunctionSize, functions.symbol(function));
  return text + fmt::format("{:016x} ? __sym_end\n", kTextOffset + (options.functions + 2) * kFunctionSize);
}

std::string memory_map(const Options& options) {
  const std::uint64_t size = kTextOffset + (options.functions + 2) * kFunctionSize;
  const std::uint64_t end = kModuleBase + (size + kPageSize - 1) / kPageSize * kPageSize;
  return fmt::format("{:x}-{:x} r-xp 00000000 00:00 0    {}\n", kModuleBase, end, kProgram) +
         "7ffdb63dc000-7ffdb63fd000 rw-p 00000000 00:00 0    [stack]\n";
}

void make_recording(const Options& options) {
  std::filesystem::create_directories(options.directory);
  AtomicFile(options.directory / "task.txt").write(tasks(options));
  AtomicFile(options.directory / fmt::format("sid-{}.map", kSession)).write(memory_map(options));
  const Functions functions = functions_of(options);
  AtomicFile(options.directory / "program.sym").write(symbols(options, functions));

  std::vector<std::uint64_t> words(std::size_t{1} << 17);
  Switches switches(options.switch_every);
  for (unsigned thread = 0; thread < options.threads; ++thread) {
    AtomicFile file(options.directory / fmt::format("{}.dat", kProcessId + thread));
    std::vector<std::uint64_t> times;
    for (ThreadWalk walk(options, thread, functions); !walk.done(); times.clear()) {
      file.write(std::span(words).first(walk.fill(words, times)));
      switches.add(thread, times);
    }
  }
  if (options.switch_every != 0)
    for (unsigned cpu = 0; const auto& file : switches.files())
      AtomicFile(options.directory / fmt::format("perf-cpu{}.dat", cpu++)).write(file);
  AtomicFile(options.directory / "info").write(info(options));
}

// Throws boost::program_options::error for impossible options.
Options checked(Options options) {
  const auto demand = [](bool good, const char* problem) {
    if (!good) throw boost::program_options::error(problem);
  };
  demand(options.threads >= 1 && options.threads <= 10'000, "--threads must be from 1 to 10000");
  demand(options.records >= 2 && options.records % 2 == 0,
         "--records must be an even number: every call ends");
  demand(options.functions >= 1 && options.functions <= 1'000'000, "--functions must be from 1 to 1000000");
  demand(options.depth >= 2 && options.depth <= kMaxDepth, "--depth must be from 2 to 1023");
  demand(options.clock_ns >= 1, "--clock-ns must be at least 1");
  return options;
}

int run(int argc, char** argv) {
  namespace po = boost::program_options;
  Options options;
  po::options_description visible(
      "make_uftrace [OPTIONS] DIRECTORY: writes a uftrace recording of random calls");
  auto add = visible.add_options();
  add("help,h", "prints this");
  add("threads", po::value(&options.threads)->default_value(options.threads), "threads of the one process");
  add("records", po::value(&options.records)->default_value(options.records), "records of each thread, even");
  add("functions", po::value(&options.functions)->default_value(options.functions), "functions called");
  add("depth", po::value(&options.depth)->default_value(options.depth), "deepest nesting");
  add("clock-ns", po::value(&options.clock_ns)->default_value(options.clock_ns),
      "granularity of the clock; 1000 gives many ties and calls of no length");
  add("step-ns", po::value(&options.step_ns)->default_value(options.step_ns),
      "mean time between two records");
  add("switch-every", po::value(&options.switch_every)->default_value(options.switch_every),
      "records between two context switches of a thread; 0: none");
  add("arguments", po::bool_switch(&options.arguments), "three integers and a string for half of the calls");
  add("seed", po::value(&options.seed)->default_value(options.seed), "another seed gives another recording");
  po::options_description all;
  all.add(visible).add_options()("directory", po::value<std::string>()->required());

  try {
    po::variables_map values;
    po::store(po::command_line_parser(argc, argv)
                  .options(all)
                  .positional(po::positional_options_description().add("directory", 1))
                  .run(),
              values);
    if (values.count("help") > 0) {
      std::cout << visible;
      return EXIT_SUCCESS;
    }
    po::notify(values);
    options.directory = values["directory"].as<std::string>();
    options = checked(options);
  } catch (const po::error& error) {
    std::cerr << "make_uftrace: " << error.what() << '\n';
    return 2;
  }
  make_recording(options);
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  static_assert(std::endian::native == std::endian::little, "records are written as they lie in memory");
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "make_uftrace: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
