// SPDX-License-Identifier: MIT
// Does long work in the background: reads files, binds, uploads.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace pelt::viewer {

// One thread that runs one piece of work after another. A waiting request replaces older ones with its key.
class Binder {
 public:
  // Reports the progress of the work. Returns false if its result is no longer wanted.
  using Tell = std::function<bool(double fraction, const std::string& what)>;
  // Takes the result of the work; finish() calls it.
  using Done = std::function<void()>;
  // The work itself: runs on the thread, throws nothing, may return an empty Done.
  using Work = std::function<Done(const Tell& report_progress)>;

  struct Progress {
    std::string key;
    std::string title;  // name of the work, such as "binding"
    std::string what;   // the last text of Tell
    double fraction = 0;
    std::size_t waiting = 0;  // number of further requests
  };

  Binder();
  ~Binder();  // gives up all work and waits for the running one
  Binder(const Binder&) = delete;
  Binder& operator=(const Binder&) = delete;

  void request(const std::string& key, const std::string& title, Work work);
  std::optional<Progress> progress() const;  // none: nothing runs or waits
  void finish();                             // calls the Done of all work that has ended, oldest first
  void wait() const;                         // returns when nothing runs or waits
  // Gives up the work of that key, or all work, and drops results that finish() has not taken. The thread may go on for
  // a while; wait() waits for it.
  void cancel(const std::string& key);
  void cancel();
  // Gives up the running work if a newer one of its key waits.
  void give_up_outdated();
  // Returns true if the running work is no longer wanted; for the work itself, on any of its threads, at any time.
  bool is_given_up() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pelt::viewer
