// A fixture with the stages that process the records of a thread. A test passes records to the stages without
// a file, and reads the events that the stages emit.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "converters/uftrace/recording/note_kinds.h"
#include "converters/uftrace/threads/side_streams.h"
#include "tests/model/event_text.h"
#include "tests/model/story.h"
#include "tests/uftrace/records/record_bytes.h"
#include "tests/uftrace/text_recording.h"

namespace convert::uftrace {

constexpr std::uint64_t kSetjmp = 0x401300;

// Hides the calls of some functions. Counts dropped kernel calls and started programs.
struct HidingFilter : CallFilter {
  explicit HidingFilter(std::set<std::uint64_t> functions = {}) : hidden(std::move(functions)) {}
  bool enter(std::uint64_t address, bool) override { return !hidden.contains(address); }
  bool will_be_seen(const CallRecord& call) override { return !hidden.contains(call.address); }
  bool shows_switch(std::size_t, bool is_short) override { return !is_short; }
  KernelDecision enter_kernel(std::size_t, std::uint64_t) override { return {true, shortest_kernel_ns}; }
  void drop_kernel_call() override { ++dropped_kernel_calls; }
  void start_over() override { ++programs; }

  std::set<std::uint64_t> hidden;
  std::uint64_t shortest_kernel_ns = 0;
  int dropped_kernel_calls = 0, programs = 0;
};

// Thread 8 of process 7. The program of this process has the functions f, g and setjmp.
class Stages : public testing::Test {
 protected:
  Stages() {
    recording_.file("sid-aa.map", "401000-411000 r-xp 00000000 00:00 0    /bin/a\n");
    recording_.file("a.sym",
                    "0000000000000100 00000100 T f\n0000000000000200 00000100 T g\n"
                    "0000000000000300 00000100 T setjmp\n");
    recording_.file("task.txt",
                    "SESS timestamp=0.000000001 pid=7 sid=aa exename=\"/bin/a\"\n"
                    "TASK timestamp=0.000000001 tid=8 pid=7\n");
    directory_ = list_directory(recording_.path());
    sessions_ = std::make_unique<Sessions>(directory_, Info{},
                                           read_task_file(directory_, std::endian::little, notes_), notes_);
    symbolizer_ = std::make_unique<Symbolizer>(directory_, *sessions_, Demangle::Simple, names_, notes_);
    plan_.task = sessions_->find_task(ThreadId{8});
    plan_.place = fxt::FilePlace("DIR/8.dat");
    plan_.shown_process = ProcessId{7};
    plan_.shown_thread = ThreadId{8};
    plan_.shows_cpu_tracks = true;
    plan_.switches.queue = &perf_;
    plan_.kernel = {.queue = &kernel_, .thread = "DIR: thread 8"};
  }

  struct Stage {
    Lane& lane;
    StackRepair& calls;
    SideStreams& streams;
    RecordNotes& notes;
    bool has_estimated_exits;

    // Emits all events that are due before a record of the thread, and then the record.
    void record(RecordType type, std::uint64_t time_ns, std::size_t depth, std::uint64_t address) {
      const CallRecord call{.type = type, .time_ns = time_ns, .depth = depth, .address = address};
      const bool needs_room = streams.emit_before({time_ns, Precedence::OwnRecord});
      if (has_estimated_exits && !call.is_entry() && streams.move_exit(call, false)) return;
      if (streams.end_moved_exits(time_ns) || needs_room) calls.make_room(call);
      if (call.is_entry())
        calls.entry(std::max(time_ns, lane.last_ns()), depth, address, {});
      else
        calls.exit(std::max(time_ns, lane.last_ns()), depth, address, {});
      calls.resume();
      notes.move_to(notes.offset() + kRecordSize);
    }
    void entry(std::uint64_t time_ns, std::size_t depth, std::uint64_t address) {
      record(RecordType::Entry, time_ns, depth, address);
    }
    void exit(std::uint64_t time_ns, std::size_t depth, std::uint64_t address) {
      record(RecordType::Exit, time_ns, depth, address);
    }
  };

  // Calls `tell` with a Stage. Returns the events of the lane.
  template <typename Tell>
  std::vector<std::string> lines(Tell tell) {
    Timeline timeline(options_, notes_);
    timeline.begin_input("story");
    Lane& lane = timeline.add_lane(
        {.process = ProcessId{7}, .thread = ThreadId{8}, .process_name = {}, .thread_name = {}});
    const auto run = [&](Lane& filled) {
      TaskSymbols symbols(*symbolizer_, *plan_.task);
      symbols.move_to(10);
      RecordNotes notes(notes_, plan_.place.text());
      StackRepair calls(filled, filter_, symbols, names_, notes, {"DIR/8.dat", "DIR: thread 8"});
      SideStreams streams(plan_, filled, filter_, calls, names_);
      Stage stage{filled, calls, streams, notes, plan_.facts.has_estimated_exits};
      tell(stage);
      streams.emit_before({kForever, Precedence::SwitchIn});
      calls.finish(filled.last_ns());
      streams.finish(filled.last_ns());
    };
    timeline.add_source(std::make_unique<Story>(lane, run), {&lane});
    EventText text(names_);
    timeline.run(text, [] {});
    return text.lines();
  }

  void kernel(const KernelMessage& message) {
    kernel_.stage(message);
    kernel_.deliver();
  }
  void kernel_entry(std::uint64_t time_ns, std::uint16_t depth = 0) {
    kernel({.time_ns = time_ns,
            .address = 0xff00,
            .label = names_.intern_label("[kernel]", "read"),
            .depth = depth,
            .kind = KernelMessage::Kind::Entry});
  }
  void kernel_exit(std::uint64_t time_ns, std::uint16_t depth = 0) {
    kernel({.time_ns = time_ns,
            .address = 0xff00,
            .label = names_.intern_label("[kernel]", "read"),
            .depth = depth,
            .kind = KernelMessage::Kind::Exit});
  }
  void perf(std::uint64_t time_ns, PerfEvent::Kind kind) {
    perf_.stage({.time_ns = time_ns, .cpu = 0, .kind = kind, .name = names_.intern("worker")});
    perf_.deliver();
  }

  TextRecording recording_;
  Directory directory_;
  Names names_;
  Notes notes_;
  std::unique_ptr<Sessions> sessions_;
  std::unique_ptr<Symbolizer> symbolizer_;
  PerfQueue perf_;
  KernelQueue kernel_;
  ThreadPlan plan_{};
  HidingFilter filter_;
  TimelineOptions options_ = {};
};

}  // namespace convert::uftrace
