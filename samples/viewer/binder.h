// SPDX-License-Identifier: MIT
// What takes long, in the background: reads files, binds, uploads.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace pelt::viewer {

// One thread that does one piece of work after the other. Of those of one key that wait, the newest alone is done.
class Binder {
 public:
  // How work says how far it is. Returns whether it is to go on: what it makes is not wanted any more where false.
  using Tell = std::function<bool(double fraction, const std::string& what)>;
  // Is called by finish().
  using Done = std::function<void()>;
  // Runs on the thread, throws nothing; may return no Done.
  using Work = std::function<Done(const Tell& tell)>;

  struct Progress {
    std::string key;
    std::string title;  // what is done: "binding"
    std::string what;   // what Tell was told last
    double fraction = 0;
    std::size_t waiting = 0;  // further requests
  };

  Binder();
  ~Binder();  // waits until the work that runs asks Tell or ends
  Binder(const Binder&) = delete;
  Binder& operator=(const Binder&) = delete;

  void request(const std::string& key, const std::string& title, Work work);
  std::optional<Progress> progress() const;  // none: nothing is done or waits
  void finish();                             // calls the Done of all work that has ended, oldest first
  void wait() const;                         // until nothing is done or waits
  // Gives up the work of that key, or all of it, and what has ended but was not finished. The thread may still be at
  // it for a while; wait().
  void cancel(const std::string& key);
  void cancel();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pelt::viewer
