// Makes a large uftrace recording of kernel events for measurements: `make_kernel EVENTS DIRECTORY`. Four
// threads take turns on two CPUs and make system calls. The recording has the function graph, tracepoints
// around each call, and switches. Prints the number of written records, which includes the records of the
// program.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/uftrace/kernel/kernel_bytes.h"

namespace {

using convert::uftrace::block;
using convert::uftrace::common_fields;
using convert::uftrace::field;
using convert::uftrace::header_text;
using convert::uftrace::KernelBytes;
using convert::uftrace::Numbers;

constexpr std::size_t kCpus = 2, kThreadsPerCpu = 2;
constexpr std::int32_t kProcess = 4000;
constexpr std::uint64_t kStartNs = 1'000'000'000'000;
constexpr std::uint64_t kProgram = 0x55d0'4c20'0000, kKernel = 0xffff'ffff'8100'0000, kFunctionBytes = 0x100;
constexpr std::uint64_t kFunctions = 2000, kCallsPerTurn = 200;
constexpr std::string_view kSession = "5eed5eed5eed5eed";
constexpr std::uint16_t kSysEnter = 350, kSysExit = 349, kSwitch = 319;
constexpr KernelBytes::Layout kLayout{.page_bytes = 4096};

// A file that is written in parts.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path) : out_(path, std::ios::binary) {}
  void write(std::string_view text) {
    if (!out_.write(text.data(), static_cast<std::streamsize>(text.size())))
      throw std::runtime_error("make_kernel: cannot write");
  }

 private:
  std::ofstream out_;
};

// The pages of one CPU in the kernel's file.
class CpuFile {
 public:
  explicit CpuFile(const std::filesystem::path& path) : out_(path) {}
  ~CpuFile() { finish_page(); }

  void event(std::uint64_t time_ns, std::string_view payload) {
    constexpr std::size_t kRoom = 4096 - 16;
    if (size_ == 0 || size_ + 4 + payload.size() > kRoom) {
      finish_page();
      page_ = KernelBytes(kLayout);
      page_.page(time_ns);
      latest_ns_ = time_ns;
    }
    page_.event(static_cast<std::uint32_t>(time_ns - latest_ns_), payload);
    size_ += 4 + payload.size();
    latest_ns_ = time_ns;
  }

 private:
  void finish_page() {
    if (size_ != 0) out_.write(page_.text());
    size_ = 0;
  }

  AtomicFile out_;
  KernelBytes page_;
  std::size_t size_ = 0;
  std::uint64_t latest_ns_ = 0;
};

// The events of the two threads of one CPU.
class CpuWalk {
 public:
  CpuWalk(const std::filesystem::path& directory, std::size_t cpu)
      : file_(directory / fmt::format("kernel-cpu{}.dat", cpu)), random_(cpu + 1), time_ns_(kStartNs) {
    for (std::size_t i = 0; i < kThreadsPerCpu; ++i) {
      threads_[i] = kProcess + static_cast<std::int32_t>(i * kCpus + cpu);
      records_.emplace_back(directory / fmt::format("{}.dat", threads_[i]));
      own_record(i, 0, 0, 0);
    }
  }

  std::uint64_t run(std::uint64_t events) {
    for (std::size_t turn = 0; count_ < events; ++turn) {
      running_ = turn % kThreadsPerCpu;
      for (std::uint64_t i = 0; i < kCallsPerTurn && count_ < events; ++i) system_call();
      switch_to(threads_[(turn + 1) % kThreadsPerCpu]);
    }
    for (std::size_t i = 0; i < kThreadsPerCpu; ++i) own_record(i, 1, 0, 0);
    return count_;
  }

 private:
  std::int32_t tid() const { return threads_[running_]; }
  std::uint64_t tick() { return time_ns_ += 20 + random_() % 200; }

  // Second word: type in [0 .. 1], magic 5 in [3 .. 5], depth in [6 .. 15], address in [16 .. 63].
  void own_record(std::size_t thread, std::uint64_t type, std::uint64_t depth, std::uint64_t function) {
    const std::uint64_t address = kProgram + 0x1000 + function * kFunctionBytes;
    records_[thread].write(Numbers().put(tick()).put(type | 5 << 3 | depth << 6 | address << 16).text());
    ++count_;
  }
  void kernel_event(std::string_view payload) {
    file_.event(tick(), payload);
    ++count_;
  }

  void system_call() {
    own_record(running_, 0, 1, 1);
    Numbers enter = page_.common(kSysEnter, tid());
    enter.put(std::uint64_t{random_() % 300});
    for (int i = 0; i < 6; ++i) enter.put(std::uint64_t{random_()});
    kernel_event(enter.text());
    call(random_() % 300, 0);
    kernel_event(page_.common(kSysExit, tid()).put(std::uint64_t{1}).put(std::uint64_t{0}).text());
    own_record(running_, 1, 1, 1);
  }

  void call(std::uint64_t function, std::int32_t depth) {
    const std::uint64_t address = kKernel + function * kFunctionBytes + 4;
    kernel_event(page_.common(11, tid()).put(address).put(depth).text());
    for (std::uint64_t inner = depth < 8 ? random_() % 4 : 0; inner > 0; --inner)
      call(random_() % kFunctions, depth + 1);
    kernel_event(page_.common(10, tid())
                     .put(address)
                     .put(depth)
                     .put(std::uint32_t{0})
                     .put(time_ns_)
                     .put(time_ns_)
                     .text());
  }

  void switch_to(std::int32_t next) {
    std::string name("program");
    name.resize(16, '\0');
    kernel_event(page_.common(kSwitch, tid())
                     .bytes(name)
                     .put(tid())
                     .put(std::int32_t{120})
                     .put(std::uint64_t{1})
                     .bytes(name)
                     .put(next)
                     .put(std::int32_t{120})
                     .text());
  }

  CpuFile file_;
  KernelBytes page_{kLayout};  // makes payloads
  std::mt19937_64 random_;
  std::uint64_t time_ns_, count_ = 0;
  std::size_t running_ = 0;
  std::array<std::int32_t, kThreadsPerCpu> threads_{};
  std::vector<AtomicFile> records_;  // by thread
};

std::string event_block(std::string_view path, int id, std::string_view fields, std::string_view print) {
  return block(fmt::format("events/{}/format", path),
               fmt::format("name: {}\n{}{}\nprint fmt: {}\n", path.substr(path.find('/') + 1),
                           common_fields(id), fields, print));
}

std::string kernel_header() {
  return header_text(kLayout) +
         event_block("raw_syscalls/sys_enter", kSysEnter,
                     field("long id", 8, 8, true) + field("unsigned long args[6]", 16, 48),
                     R"("NR %ld", REC->id)") +
         event_block("raw_syscalls/sys_exit", kSysExit,
                     field("long id", 8, 8, true) + field("long ret", 16, 8, true),
                     R"("NR %ld = %ld", REC->id, REC->ret)") +
         event_block("sched/sched_switch", kSwitch,
                     field("char prev_comm[16]", 8, 16, true) + field("pid_t prev_pid", 24, 4, true) +
                         field("int prev_prio", 28, 4, true) + field("long prev_state", 32, 8, true) +
                         field("char next_comm[16]", 40, 16, true) + field("pid_t next_pid", 56, 4, true) +
                         field("int next_prio", 60, 4, true),
                     R"("prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s ==> next_comm=%s next_pid=%d", )"
                     R"(REC->prev_comm, REC->prev_pid, REC->prev_prio, __print_flags(REC->prev_state, "|", )"
                     R"({ 0x00000001, "S" }, { 0x00000002, "D" }), REC->next_comm, REC->next_pid)");
}

std::string info() {
  constexpr std::uint64_t kFeatures = 0b110'0110;        // TASK_SESSION, SYM_REL_ADDR, MAX_STACK, KERNEL
  constexpr std::uint64_t kLines = 0b11'0000'1000'1101;  // exename to version
  std::string text = Numbers()
                         .bytes(std::string_view("Ftrace!\0", 8))
                         .put(std::uint32_t{4})   // version
                         .put(std::uint16_t{40})  // header size
                         .put(std::uint8_t{1})    // little endian
                         .put(std::uint8_t{2})    // 64 bit
                         .put(kFeatures)
                         .put(kLines)
                         .put(std::uint16_t{1024})
                         .bytes(std::string(6, '\0'))
                         .text();
  std::string tids;
  for (std::size_t i = 0; i < kCpus * kThreadsPerCpu; ++i)
    tids += fmt::format("{}{}", i == 0 ? "" : ",", kProcess + static_cast<int>(i));
  return text + fmt::format(
                    "exename:/opt/program\nexit_status:0\ncmdline:uftrace record -k /opt/program\n"
                    "taskinfo:lines=2\ntaskinfo:nr_tid={}\ntaskinfo:tids={}\n"
                    "pattern_type:regex\nuftrace_version:v0.13 ( x86_64 )\n",
                    kCpus * kThreadsPerCpu, tids);
}

void make_recording(std::uint64_t events, const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  std::string tasks = fmt::format("SESS timestamp=999.999999000 pid={} sid={} exename=\"/opt/program\"\n",
                                  kProcess, kSession);
  for (std::size_t i = 0; i < kCpus * kThreadsPerCpu; ++i)
    tasks += fmt::format("TASK timestamp=999.999999{:03} tid={} pid={}\n", i, kProcess + static_cast<int>(i),
                         kProcess);
  AtomicFile(directory / "task.txt").write(tasks);
  AtomicFile(directory / "info").write(info());
  AtomicFile(directory / fmt::format("sid-{}.map", kSession))
      .write(fmt::format("{:x}-{:x} r-xp 00000000 00:00 0    /opt/program\n", kProgram, kProgram + 0x2000) +
             "7ffdb63dc000-7ffdb63fd000 rw-p 00000000 00:00 0    [stack]\n");
  AtomicFile(directory / "program.sym")
      .write("0000000000001000 T main\n0000000000001100 T read_item\n0000000000001200 ? __sym_end\n");
  AtomicFile(directory / "kernel_header").write(kernel_header());
  std::string symbols;
  for (std::uint64_t i = 0; i <= kFunctions; ++i)
    symbols += fmt::format("{:016x} T kernel_function_{}\n", kKernel + i * kFunctionBytes, i);
  AtomicFile(directory / "kallsyms").write(symbols);

  std::uint64_t count = 0;
  for (std::size_t cpu = 0; cpu < kCpus; ++cpu) count += CpuWalk(directory, cpu).run(events / kCpus);
  std::cout << count << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "make_kernel EVENTS DIRECTORY\n";
    return 2;
  }
  try {
    make_recording(std::strtoull(argv[1], nullptr, 10), argv[2]);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
