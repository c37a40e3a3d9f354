#include "cornet/base/warning.h"

#include <atomic>
#include <cstdio>

namespace cornet {
namespace {

void printWarning(std::string_view text) {
  std::fprintf(stderr, "cornet: warning: %.*s\n", static_cast<int>(text.size()), text.data());
}

std::atomic<WarningHandler> handler_in_use = &printWarning;

}  // namespace

WarningHandler setWarningHandler(WarningHandler handler) { return handler_in_use.exchange(handler); }

void warn(std::string_view text) {
  if (const WarningHandler handler = handler_in_use) handler(text);
}

}  // namespace cornet
