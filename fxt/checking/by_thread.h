// State per thread, for the Checker, the Writer and the Cutter. Internal to them.
#pragma once

#include <array>
#include <map>
#include <tuple>

#include "fxt/value.h"

namespace fxt {

// A map whose keys consist of a process and a thread. For each index of the thread table, a cache has the
// state of the thread that was last used with this index.
template <typename T>
class ByThread {
 public:
  ByThread() = default;
  ByThread(const ByThread&) = delete;  // the cache has pointers to the states of this map
  ByThread& operator=(const ByThread&) = delete;

  // Returns the state of a thread, and creates it when needed. The reference is valid until clear().
  T& operator[](const Thread& thread) {
    Known& known = known_[thread.index];
    if (known.state == nullptr || known.thread != thread) known = {thread, &states_[thread]};
    return *known.state;
  }
  // Returns null if the thread has no state.
  const T* find(const Thread& thread) const {
    const auto found = states_.find(thread);
    return found != states_.end() ? &found->second : nullptr;
  }
  auto begin() { return states_.begin(); }
  auto begin() const { return states_.begin(); }
  auto end() { return states_.end(); }
  auto end() const { return states_.end(); }
  template <typename Condition>
  void erase_if(Condition condition) {
    std::erase_if(states_, [&](const auto& state) { return condition(state.second); });
    known_ = {};
  }
  void clear() {
    states_.clear();
    known_ = {};
  }

 private:
  struct Before {
    bool operator()(const Thread& a, const Thread& b) const {
      return std::tie(a.process, a.thread) < std::tie(b.process, b.thread);
    }
  };
  struct Known {
    Thread thread = {};
    T* state = nullptr;
  };
  std::map<Thread, T, Before> states_;
  std::array<Known, 256> known_ = {};  // by Thread::index
};

}  // namespace fxt
