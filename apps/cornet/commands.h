#pragma once

#include <functional>
#include <string>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

/// One function per verb: it declares the verb's options and returns what runs it. The returned
/// function gives the exit code.
namespace cornet::app {

using Command = std::function<int()>;

Command addSolve(CLI::App& program);
/// `command` is how the program was called, for recordings.
Command addRun(CLI::App& program, const std::string& command);
/// As addRun.
Command addView(CLI::App& program, const std::string& command);
Command addReport(CLI::App& program);
Command addInfo(CLI::App& program);
Command addConvert(CLI::App& program);
Command addCheck(CLI::App& program);
Command addNew(CLI::App& program);
Command addExplain(CLI::App& program);
/// `name` is how the program was called, for the commands it suggests.
Command addDemo(CLI::App& program, const std::string& name);
Command addBench(CLI::App& program);
Command addCollide(CLI::App& program);
Command addCones(CLI::App& program);

}  // namespace cornet::app
