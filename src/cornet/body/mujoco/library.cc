#include "cornet/body/mujoco/library.h"

#include <csetjmp>
#include <cstring>
#include <mutex>

namespace cornet {
namespace {

// Where a fault jumps to, and what it said. Plain memory: nothing is destroyed by the jump.
struct JumpPoint {
  std::jmp_buf place;
  char fault[2048] = "";
  char warnings[4096] = "";
  JumpPoint* outer = nullptr;
};

thread_local JumpPoint* current = nullptr;
mjfLogHandler earlier = nullptr;

void append(char* text, std::size_t size, const char* more) {
  const std::size_t used = std::strlen(text);
  std::strncpy(text + used, more, size - used - 1);
}

void passOn(const mjLogMessage* message) {
  if (earlier != nullptr) {
    earlier(message);
  } else if (message->level == mjLOG_ERROR) {
    mju_setLogHandler(nullptr);
    mju_error("%s", message->subject);
  }
}

void handle(const mjLogMessage* message) {
  if (current == nullptr) return passOn(message);
  if (message->level < mjLOG_WARNING) return;
  if (message->level == mjLOG_WARNING) {
    append(current->warnings, sizeof current->warnings, message->subject);
    append(current->warnings, sizeof current->warnings, "\n");
    return;
  }
  append(current->fault, sizeof current->fault, message->subject);
  if (message->body != nullptr) {
    append(current->fault, sizeof current->fault, "\n");
    append(current->fault, sizeof current->fault, message->body);
  }
  std::longjmp(current->place, 1);
}

}  // namespace

std::string runGuarded(void (*call)(const void*), const void* data) {
  static std::once_flag installed;
  std::call_once(installed, [] { earlier = mju_setLogHandler(handle); });
  JumpPoint here;
  here.outer = current;
  current = &here;
  if (setjmp(here.place) == 0) {
    call(data);
    current = here.outer;
    return here.warnings;
  }
  current = here.outer;
  throw LibraryFault(here.fault);
}

DataHandle makeData(const mjModel& model) {
  mjData* data = nullptr;
  guarded([&] { data = mj_makeData(&model); });
  if (data == nullptr) throw LibraryFault("no memory for the data of the model");
  return DataHandle(data);
}

}  // namespace cornet
