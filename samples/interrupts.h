// SPDX-License-Identifier: MIT
// Cleans up when a program is interrupted.
#pragma once

#include <csignal>
#include <cstdlib>

#include <pelt/tools/file_io.h>

namespace pelt::samples {

// Removes unfinished files from now on if the program is interrupted (Ctrl-C), terminated or loses its terminal. The
// program still ends by the signal, so that a shell sees 128 plus the signal's number: 130 for Ctrl-C. It ends at once,
// whatever it is doing.
inline void remove_unfinished_files_on_signals() {
  const auto end = [](int signal) {
    remove_unfinished_files();
#ifdef _WIN32
    std::_Exit(128 + signal);  // the default exit code for a signal is 3
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
    // Keep signals ignored that the parent process ignores, as nohup does.
    if (std::signal(signal, end) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

}  // namespace pelt::samples
