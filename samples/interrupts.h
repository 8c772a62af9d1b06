// SPDX-License-Identifier: MIT
// What a program does when it is interrupted.
#pragma once

#include <csignal>
#include <cstdlib>

#include <pelt/tools/file_io.h>

namespace pelt::samples {

// From now on no unfinished file stays behind when the program is interrupted (Ctrl-C), terminated or left by its
// terminal. It still ends by the signal, so that a shell sees 128 and the signal's number: 130 for Ctrl-C. It ends at
// once, whatever it does, and need not be asked.
inline void remove_unfinished_files_on_signals() {
  const auto end = [](int signal) {
    remove_unfinished_files();
#ifdef _WIN32
    std::_Exit(128 + signal);  // its own code for a signal is 3
#else
    std::signal(signal, SIG_DFL);
    std::raise(signal);
#endif
  };
  for (const int signal : {
           SIGINT,
           SIGTERM,
#ifdef SIGHUP
           SIGHUP,
#endif
       }) {
    // Who starts a program with a signal ignored, as nohup does, means it.
    if (std::signal(signal, end) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

}  // namespace pelt::samples
