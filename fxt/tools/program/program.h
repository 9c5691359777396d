// What all programs do alike around their work: standard streams, signals, messages and exit codes.
#pragma once

#include <exception>
#include <functional>
#include <string>

namespace fxt::tools {

enum class ExitCode : int {
  Done = 0,
  Failed = 1,         // an input is not as it should be, or the output could not be written
  WrongUsage = 2,     // nothing was done
  DoneWithNotes = 3,  // which the user asked to be told of
};

// Nobody reads the output any more; nothing to complain about.
struct QuietEnd : std::exception {};

// Does the work, and says on standard error what it throws. The code to exit with.
int run_program(const std::string& name, const std::function<ExitCode()>& work);

}  // namespace fxt::tools
