// A thread that flushes periodically for a Tracer, so that little is missing if the program is killed.
// Internal to the Tracer.
#pragma once

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>

#include "fxt/writing/blocked_signals.h"

namespace fxt {

class FlushThread {
 public:
  using Flush = void();

  // Calls `flush` once per period while holding the lock. Throws std::system_error if no thread can be
  // started.
  FlushThread(std::mutex& lock, std::chrono::milliseconds period, Flush* flush) : lock_(&lock) {
    sigset_t all;
    ::sigfillset(&all);
    const BlockedSignals blocked(all);  // signals must interrupt only the program's own threads
    thread_ = std::thread([this, period, flush] {
      std::unique_lock guard(*lock_);
      while (!wake_.wait_for(guard, period, [this] { return is_over_; })) flush();
    });
  }
  // Waits for the thread. The caller must not hold the lock.
  ~FlushThread() {
    {
      const std::lock_guard guard(*lock_);
      is_over_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }
  FlushThread(const FlushThread&) = delete;
  FlushThread& operator=(const FlushThread&) = delete;

 private:
  std::mutex* lock_;
  std::condition_variable wake_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace fxt
