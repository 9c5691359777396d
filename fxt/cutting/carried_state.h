// What stays until it is said anew, and so stands at the begin of every piece: names, values of counters, who
// runs on which cpu. Internal to the Cutter.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "fxt/cutting/held_event.h"
#include "fxt/cutting/piece.h"
#include "fxt/records.h"

namespace fxt {

class Standing {
 public:
  void add(const KernelObject& object) { kernel_objects_[{object.type, object.koid}].assign(object); }
  void add(const UserspaceObject& object) {
    userspace_objects_[{object.process.process, object.pointer}].assign(object);
  }
  void add(const Event& counter);
  void add(const LegacyContextSwitch& change) { running_[change.cpu] = change; }
  void add(const ContextSwitch& change);

  // Names need no time, the rest has the piece's first one.
  void write_names(Piece& piece) const;
  void write_state(Piece& piece) const;

 private:
  // The newer record's incoming side; its arguments tell the idle thread only.
  struct Running {
    std::uint64_t thread = 0;
    bool is_idle = false;
  };

  std::map<std::pair<KernelObjectType, std::uint64_t>, HeldObject> kernel_objects_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, HeldObject> userspace_objects_;
  std::map<std::string, HeldEvent> counters_;  // by all that makes a series
  std::string key_;
  std::map<std::uint16_t, std::variant<LegacyContextSwitch, Running>> running_;
};

}  // namespace fxt
