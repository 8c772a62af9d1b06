// SPDX-License-Identifier: MIT
// Binds in the background.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/character/bind.h"
#include "engine/core/result.h"
#include "engine/model/model.h"
#include "engine/rig/rig.h"

namespace pelt::viewer {

// One thread that binds one request after the other. Of those of one key that wait, the newest alone is bound.
class Binder {
 public:
  struct Request {
    std::string key;  // "rig", or a deformer that is compared with
    std::uint64_t revision = 0;
    std::shared_ptr<const Model> model;
    Rig rig;
  };
  struct Finished {
    std::string key;
    std::uint64_t revision = 0;
    double seconds = 0;
    Result<Bound> bound;
  };
  struct Progress {
    std::string key;
    std::string what;  // BindOptions::progress
    double fraction = 0;
    std::size_t waiting = 0;  // further requests
  };

  Binder();
  ~Binder();  // waits for the one that is being bound
  Binder(const Binder&) = delete;
  Binder& operator=(const Binder&) = delete;

  void request(Request request);
  std::optional<Progress> progress() const;  // none: nothing is bound or waits
  std::vector<Finished> take_finished();     // oldest first
  void wait() const;                         // until nothing is bound or waits

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pelt::viewer
