// State that holds until a later record changes it, and so is repeated at the begin of each piece: names,
// hints for viewers, values of counters, the thread that runs on each cpu. Internal to the Cutter.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "fxt/cutting/held.h"
#include "fxt/cutting/piece.h"
#include "fxt/records.h"

namespace fxt {

class CarriedState {
 public:
  void add(const KernelObject& object) { keep(kernel_objects_[{object.type, object.koid}], object); }
  void add(const UserspaceObject& object) {
    keep(userspace_objects_[{object.process.process, object.pointer}], object);
  }
  void add(const Event& counter);
  // A blob that describes the whole trace.
  void add(const Blob& blob) { keep(hints_.emplace_back(), blob); }
  void add(const LegacyContextSwitch& change) { running_[change.cpu] = change; }
  void add(const ContextSwitch& change);

  // Names have no time; the state has the piece's first time.
  void write_names(Piece& piece) const;
  void write_state(Piece& piece) const;

 private:
  // The incoming side of a ContextSwitch; only its arguments show which thread is the idle one.
  struct Running {
    std::uint64_t thread = 0;
    bool is_idle = false;
  };

  template <typename T>
  static void keep(Held<T>& held, const T& record) {
    held.assign(record);
    held.forget_indices();
  }

  std::map<std::pair<KernelObjectType, std::uint64_t>, Held<KernelObject>> kernel_objects_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Held<UserspaceObject>> userspace_objects_;
  std::vector<Held<Blob>> hints_;
  std::map<std::string, Held<Event>> counters_;  // by process, id, category, name and arguments
  std::string key_;
  std::map<std::uint16_t, std::variant<LegacyContextSwitch, Running>> running_;
};

}  // namespace fxt
