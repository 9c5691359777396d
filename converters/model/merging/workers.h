// A few threads that do a round of tasks together with the one that asks for it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace convert {

class Workers {
 public:
  // `jobs` counts the thread that calls finish(); 1 starts no other.
  explicit Workers(std::size_t jobs);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  std::size_t jobs() const { return threads_.size() + 1; }

  // A task must not throw. `worker` is 0..jobs()-1, and never the same for two tasks at one time.
  using Task = std::function<void(std::size_t task, std::size_t worker)>;
  // Begins the tasks 0..count-1 in their order, as far as there are other threads.
  void start(std::size_t count, Task task);
  // Does what is left of them and waits for the rest.
  void finish();

 private:
  void run(std::size_t worker);
  // Takes and does tasks until none is left; holds the lock around.
  void work(std::unique_lock<std::mutex>& lock, std::size_t worker);

  std::mutex mutex_;
  std::condition_variable begun_, done_;
  Task task_;
  std::size_t next_ = 0, count_ = 0, running_ = 0;
  bool is_over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace convert
