#pragma once

#include <functional>
#include <string>

#include "command_line.h"

/// One function per verb: it declares the verb's options and returns what runs it. The returned
/// function gives the exit code.
namespace cornet::app {

using Command = std::function<int()>;

Command addSolve(Verb program);
/// `command` is how the program was called, for recordings.
Command addRun(Verb program, const std::string& command);
/// As addRun.
Command addView(Verb program, const std::string& command);
Command addReport(Verb program);
Command addInfo(Verb program);
Command addConvert(Verb program);
Command addCheck(Verb program);
Command addNew(Verb program);
Command addExplain(Verb program);
/// `name` is how the program was called, for the commands it suggests.
Command addDemo(Verb program, const std::string& name);
Command addBench(Verb program);
Command addCollide(Verb program);
Command addCones(Verb program);

}  // namespace cornet::app
