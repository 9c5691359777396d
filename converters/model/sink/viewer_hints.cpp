// Perfetto's packets with hints for viewers: the first view, the order of the tracks, and facts about the
// recording.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "converters/model/reading/text.h"
#include "converters/model/sink/fxt_sink.h"
#include "fxt/utf8.h"

namespace convert {
namespace {

// Returns the same text as StringRefs::valid(), because viewers compare this text with the names of tracks.
std::string valid(const std::string& text) { return fxt::is_sound(text) ? text : spelled(text); }

struct ProcessOrder {
  std::string name;
  std::map<ThreadId, std::uint64_t> first_call_of = {};
  std::uint64_t first_call_ns = kForever;
  std::size_t generation = 0;  // number of ancestors in the trace
};
using Processes = std::map<ProcessId, ProcessOrder>;

// Sets the generations. If a child's first call is before its parent's, the child gets the parent's time.
void place_children(Processes& processes, const std::vector<ProcessInfo>& infos) {
  std::map<ProcessId, ProcessId> parents;
  for (const ProcessInfo& info : infos) parents.emplace(info.process, info.parent);
  std::set<ProcessId> placed;
  for (const auto& entry : processes) {
    std::vector<ProcessOrder*> line;  // the process, and its ancestors that are not placed yet
    const ProcessOrder* elder = nullptr;
    for (ProcessId id = entry.first;;) {
      const auto process = processes.find(id);
      if (process == processes.end()) break;
      elder = &process->second;
      if (!placed.insert(id).second) break;
      line.push_back(&process->second);
      const auto parent = parents.find(id);
      if (parent == parents.end()) break;
      id = parent->second;
    }
    for (; !line.empty(); line.pop_back()) {
      ProcessOrder& process = *line.back();
      if (&process != elder) {
        process.first_call_ns = std::max(process.first_call_ns, elder->first_call_ns);
        process.generation = elder->generation + 1;
      }
      elder = &process;
    }
  }
}

// Threads whose first calls are within this time are sorted as if they started together.
constexpr std::uint64_t kTogetherNs = 1'000'000;

// The main thread comes first. The others are sorted by their first calls. Threads that started together are
// sorted by their ids.
std::vector<ThreadId> in_order(ProcessId process, const std::map<ThreadId, std::uint64_t>& first_call_of) {
  std::vector<ThreadId> order;
  std::vector<std::pair<std::uint64_t, ThreadId>> threads;
  for (const auto& [thread, first_call_ns] : first_call_of) {
    if (number_of(thread) == number_of(process))
      order.push_back(thread);
    else
      threads.emplace_back(first_call_ns, thread);
  }
  std::ranges::sort(threads);
  std::uint64_t group_ns = threads.empty() ? 0 : threads.front().first;
  for (auto& [time_ns, thread] : threads) {
    if (time_ns - group_ns >= kTogetherNs) group_ns = time_ns;
    time_ns = group_ns;
  }
  std::ranges::sort(threads);
  for (const auto& [time_ns, thread] : threads) order.push_back(thread);
  return order;
}

// Adds the ranks of processes and of their threads. Processes are sorted by their first calls, and parents
// come before their children.
void add_order(fxt::PerfettoPackets& packets, const Processes& processes) {
  packets.order_by_rank();
  std::vector<const Processes::value_type*> order;
  for (const auto& process : processes) order.push_back(&process);
  std::ranges::stable_sort(order, {}, [](const auto* process) {
    return std::pair(process->second.first_call_ns, process->second.generation);
  });
  std::uint64_t rank = 0;
  for (const auto* const process : order) {
    if (order.size() > 1)
      packets.rank_process(number_of(process->first), valid(process->second.name), ++rank);
    const std::vector<ThreadId> threads = in_order(process->first, process->second.first_call_of);
    if (threads.size() == 1) continue;
    std::uint64_t thread_rank = 0;
    for (const ThreadId thread : threads)
      packets.rank_thread(number_of(process->first), number_of(thread), ++thread_rank);
  }
}

}  // namespace

fxt::PerfettoPackets hints_of(std::span<const LaneInfo> lanes, const TraceInfo& info) {
  fxt::PerfettoPackets packets;
  std::uint64_t first_call_ns = kForever;
  Processes processes;
  for (const LaneInfo& lane : lanes) {
    first_call_ns = std::min(first_call_ns, lane.first_call_ns);
    ProcessOrder& process = processes[lane.process];
    if (process.name.empty()) process.name = shown_process_name(lane);
    process.first_call_ns = std::min(process.first_call_ns, lane.first_call_ns);
    std::uint64_t& first = process.first_call_of.try_emplace(lane.thread, kForever).first->second;
    first = std::min(first, lane.first_call_ns);
  }
  if (first_call_ns != kForever) packets.first_view_begins(first_call_ns);
  if (info.wall_clock) packets.wall_clock(info.wall_clock->time_ns, info.wall_clock->utc_ns);
  // In a Linux trace, Perfetto treats process 2 and its children as threads of the kernel.
  if (!info.system.empty() && !info.machine.empty() && !processes.contains(ProcessId{2}))
    packets.system(valid(info.system), valid(info.system_release), info.machine);
  if (!info.session.empty()) packets.session(valid(info.session));
  std::vector<fxt::PerfettoProcess> tree;
  for (const ProcessInfo& process : info.processes) {
    if (!processes.contains(process.process)) continue;
    fxt::PerfettoProcess& entry =
        tree.emplace_back(fxt::PerfettoProcess{.process = number_of(process.process)});
    if (processes.contains(process.parent)) entry.parent = number_of(process.parent);
    // Perfetto shows the first word as the process's name. Therefore, the first word is the name that other
    // viewers show. Perfetto would cut a single word at its first blank, so an empty second word is added.
    const std::string& name = processes[process.process].name;
    entry.command_line.push_back(valid(name));
    for (std::size_t i = 1; i < process.command_line.size(); ++i)
      entry.command_line.push_back(valid(process.command_line[i]));
    if (entry.command_line.size() == 1 && name.find(' ') != std::string::npos)
      entry.command_line.emplace_back();
  }
  if (!tree.empty()) packets.processes(tree);
  place_children(processes, info.processes);
  if (lanes.size() > 1) add_order(packets, processes);
  return packets;
}

}  // namespace convert
