#include "bench/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "cornet/io/format_error.h"
#include "interrupt.h"

namespace cornet::app {
namespace {

struct Child {
  pid_t pid = -1;
  int output = -1;
};

Child start(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe");
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  Child child{-1, ends[0]};
  const int failure =
      ::posix_spawn(&child.pid, program.c_str(), &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (failure == 0) return child;
  ::close(ends[0]);
  throw FileError(program, "cannot be run: " + std::generic_category().message(failure));
}

// Hands on complete lines and keeps the rest.
void handLines(std::string& text, const std::function<void(const std::string&)>& handle) {
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    handle(text.substr(begin, end - begin));
    begin = end + 1;
  }
  text.erase(0, begin);
}

// Until the end of the output. Waits in short turns so that an interrupt is seen.
void readOutput(const Child& child, const std::function<void(const std::string&)>& handle) {
  constexpr int kTurn = 100;  // [ms]
  std::string text;
  for (bool told = false;;) {
    if (interrupted && !told) {
      ::kill(child.pid, SIGTERM);
      told = true;
    }
    pollfd ready{child.output, POLLIN, 0};
    if (::poll(&ready, 1, kTurn) <= 0) continue;
    char buffer[4096];
    const ssize_t count = ::read(child.output, buffer, sizeof buffer);
    if (count == 0 || (count < 0 && errno != EINTR)) return;
    if (count > 0) text.append(buffer, static_cast<std::size_t>(count));
    handLines(text, handle);
  }
}

int waitFor(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int runLines(const std::filesystem::path& program, const std::vector<std::string>& arguments,
             const std::function<void(const std::string&)>& handle) {
  const Child child = start(program, arguments);
  try {
    readOutput(child, handle);
  } catch (...) {
    ::kill(child.pid, SIGTERM);
    ::close(child.output);
    waitFor(child.pid);
    throw;
  }
  ::close(child.output);
  return waitFor(child.pid);
}

}  // namespace cornet::app
