// Copies of events and objects that outlive their records. Internal to the Cutter.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "fxt/records.h"

namespace fxt {

class HeldEvent {
 public:
  HeldEvent() = default;
  explicit HeldEvent(const Event& event) { assign(event); }
  HeldEvent(HeldEvent&&) = default;
  HeldEvent& operator=(HeldEvent&&) = default;

  // Reuses the memory of the event that was held before.
  void assign(const Event& event);
  // Borrows from this object.
  Event event() const;

 private:
  Event event_;  // without its arguments
  std::vector<Argument> arguments_;
  std::vector<char> bytes_;  // of all texts
};

// The same for objects. The results borrow from this object.
class HeldObject {
 public:
  void assign(const KernelObject& object);
  void assign(const UserspaceObject& object);
  const KernelObject& kernel_object() const { return kernel_; }
  const UserspaceObject& userspace_object() const { return userspace_; }

 private:
  KernelObject kernel_;
  UserspaceObject userspace_;
  HeldEvent parts_;
};

}  // namespace fxt
