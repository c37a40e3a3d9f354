#pragma once

/// What the program tells the shell.
namespace cornet::app {

enum ExitCode {
  kDone = 0,
  kInternalFault = 1,
  kUsage = 2,
  kInputInvalid = 3,
  kAccuracyNotReached = 4,
  kFileProblem = 5,
  kCheckFailed = 6,
  kInterrupted = 130,
};

}  // namespace cornet::app
