#include "fxt/tools/files/temporary_name.h"

#include <array>
#include <atomic>
#include <csignal>
#include <memory>
#include <unistd.h>

namespace fxt::tools {
namespace {

constexpr std::array kEndingSignals{SIGINT, SIGTERM, SIGHUP};

// What the handler may touch: set once complete, cleared before the text goes away.
std::atomic<const char*> guarded_path{nullptr};
static_assert(std::atomic<const char*>::is_always_lock_free, "a signal handler reads it");
std::string guarded_text;

// Only async-signal-safe calls here. SA_RESETHAND made the signal's default effect the next one.
void remove_and_end(int signal) {
  if (const char* path = guarded_path.load()) ::unlink(path);
  std::raise(signal);
}

}  // namespace

void TemporaryName::guard(const std::string& path) {
  guarded_text = path;
  guarded_path = guarded_text.c_str();
  for (const int signal : kEndingSignals) {
    struct sigaction action {};
    // A signal that was ignored from outside (nohup) stays ignored.
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = remove_and_end;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
}

void TemporaryName::release() { guarded_path = nullptr; }

}  // namespace fxt::tools
