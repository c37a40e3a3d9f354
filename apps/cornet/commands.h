#pragma once

#include <functional>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

/// One function per verb: it declares the verb's options and returns what runs it. The returned
/// function gives the exit code.
namespace cornet::app {

using Command = std::function<int()>;

Command addSolve(CLI::App& program);
Command addDemo(CLI::App& program);

}  // namespace cornet::app
