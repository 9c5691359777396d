// Threads that work on rounds of tasks. The thread that starts a round also works on its tasks.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace convert {

class Workers {
 public:
  // `jobs` includes the thread that calls finish().
  explicit Workers(std::size_t jobs);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  std::size_t jobs() const { return threads_.size() + 1; }

  // `worker` is below jobs(). Tasks that run at the same time have different workers.
  using Task = std::function<void(std::size_t task, std::size_t worker)>;
  // Starts a round with the tasks 0 to count-1, in this order, on the other threads.
  void start(std::size_t count, Task task);
  // Runs the tasks that have not started yet, and waits for the others. If tasks have thrown exceptions,
  // throws the exception of the first of these tasks.
  void finish();

 private:
  void run(std::size_t worker);
  // Runs tasks until none is left. `lock` must be locked, and is also locked when the function returns.
  void work(std::unique_lock<std::mutex>& lock, std::size_t worker);

  std::mutex mutex_;
  std::condition_variable begun_, done_;
  Task task_;
  std::size_t next_ = 0, count_ = 0, running_ = 0;
  std::exception_ptr failure_;
  std::size_t failed_ = 0;
  bool is_over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace convert
