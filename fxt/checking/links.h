// The rules for events that an id connects (rules W17 and W21). Flows are connected, and async operations are
// nested, as in Perfetto. The Checker reports the faults, the Cutter tracks the flows, and fxt-draw draws
// them. `Tag` is the caller's data for each flow or operation. Internal to the library and its tools.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "fxt/checking/value_rules.h"
#include "fxt/format.h"

namespace fxt {

// Flows that have begun and have not ended.
template <typename Tag>
class OpenFlows {
 public:
  enum class Match : std::uint8_t {
    Found,
    NoneBegan,      // no flow of this id is open
    SeveralOthers,  // several other processes have open flows of this id, and this process has none
  };
  struct Found {
    Match match = Match::NoneBegan;
    std::uint64_t process = 0;  // the process that began the flow
    Tag* tag = nullptr;         // valid until the flow ends

    explicit operator bool() const { return match == Match::Found; }
    bool is_of(std::uint64_t beginner) const { return match == Match::Found && process == beginner; }
  };

  // Begins a flow. Returns false, and changes nothing, if this process already has an open flow with the id.
  bool begin(std::uint64_t process, std::uint64_t id, Tag tag = {}) {
    if (!open_.try_emplace(Key{id, process}, std::move(tag)).second) return false;
    const auto [owner, is_first] = owners_.try_emplace(id, Owner{.process = process});
    if (!is_first && owner->second.process != process) owner->second.several = true;
    return true;
  }
  // Finds the flow to which a step or end in this process belongs.
  Found find(std::uint64_t process, std::uint64_t id) {
    if (const auto own = open_.find({id, process}); own != open_.end())
      return {.match = Match::Found, .process = process, .tag = &own->second};
    const auto owner = owners_.find(id);
    if (owner == owners_.end()) return {};
    if (owner->second.several) return {.match = Match::SeveralOthers};
    const auto other = open_.find({id, owner->second.process});
    if (other == open_.end()) return {};
    return {.match = Match::Found, .process = owner->second.process, .tag = &other->second};
  }
  // The fault of an event of this process; nothing if it has no fault. `found` is the result of find().
  static std::optional<Fault> fault_of(EventType type, std::uint64_t process, const Found& found) {
    if (type == EventType::FlowBegin)
      return found.is_of(process) ? std::optional(Fault::FlowInUse) : std::nullopt;
    if (found.match == Match::NoneBegan) return Fault::FlowNotBegun;
    if (found.match == Match::SeveralOthers) return Fault::FlowOfSeveral;
    return std::nullopt;
  }
  void end(const Found& found, std::uint64_t id) {
    open_.erase({id, found.process});
    owners_.erase(id);
  }
  // True if any process has an open flow with this id.
  bool has(std::uint64_t id) const {
    const auto first = open_.lower_bound({id, 0});
    return first != open_.end() && first->first.first == id;
  }
  std::size_t size() const { return open_.size(); }

  // Calls `visit(process, id, tag)` for each open flow, in the order of ids.
  template <typename Visitor>
  void for_each(Visitor visit) const {
    for (const auto& [key, tag] : open_) visit(key.second, key.first, tag);
  }

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;  // id, process
  struct Owner {
    std::uint64_t process = 0;
    bool several = false;  // another process began a flow with this id while the flow of `process` was open
  };
  std::map<Key, Tag> open_;
  // By id: the process whose flow gets the steps and ends of processes that have no open flow of this id. An
  // entry is removed when any flow of its id ends.
  std::map<std::uint64_t, Owner> owners_;
};

// The open async operations of one id in all processes, outermost first.
template <typename Tag>
struct OpenAsyncs {
  struct Operation {
    std::uint64_t process = 0;
    std::size_t names = 0;        // result of hash_of_names()
    std::uint32_t arguments = 0;  // ArgumentNames
    Tag tag = {};
    std::optional<std::uint64_t> end = {};  // time of its end, if it has ended before an operation inside it
  };
  // The result of an end event. The event ends the innermost operation that has its category and name. Each
  // flag that is true is a fault.
  struct End {
    Operation* operation = nullptr;  // the operation; null if no such operation is open
    bool is_around_open = false;     // another operation is open inside the operation
    bool is_of_other = false;  // the operation began in another process, inside an operation of this process
    bool repeats_a_name = false;  // an argument has the same name as an argument of the begin
  };

  bool is_full() const { return open.size() >= kMaxDepth; }
  End find_end(std::uint64_t process, std::size_t names, std::uint32_t arguments,
               const ArgumentNames& argument_names) {
    Operation* const ended = innermost(names);
    if (ended == nullptr) return {};
    const Operation* const own = innermost(names, process);
    return {.operation = ended,
            .is_around_open = ended != &open.back(),
            .is_of_other = own != nullptr && own != ended,
            .repeats_a_name = argument_names.share(ended->arguments, arguments)};
  }
  // The innermost open operation with these names, in `process` or in any process. Null if there is none.
  Operation* innermost(std::size_t names, std::optional<std::uint64_t> process = std::nullopt) {
    const auto found = std::find_if(open.rbegin(), open.rend(), [&](const Operation& operation) {
      return operation.names == names && !operation.end && (!process || operation.process == *process);
    });
    return found == open.rend() ? nullptr : &*found;
  }

  std::vector<Operation> open = {};
};

}  // namespace fxt
