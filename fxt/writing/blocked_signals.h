// Blocks signals in a thread. Internal to the Tracer.
#pragma once

#include <csignal>

namespace fxt {

// While this object exists, `signals` do not interrupt the calling thread.
class BlockedSignals {
 public:
  explicit BlockedSignals(const sigset_t& signals) { ::pthread_sigmask(SIG_BLOCK, &signals, &before_); }
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace fxt
