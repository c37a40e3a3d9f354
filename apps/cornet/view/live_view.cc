#include "view/live_view.h"

#include <spawn.h>

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "view/token.h"

extern char** environ;

namespace cornet::app {
namespace {

// Asks the desktop for its browser, if there is a desktop.
void openBrowser(const std::string& address) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) {
    fmt::print(stderr,
               "cornet: note: --open: there is no display here; open the address in a browser\n");
    return;
  }
  const char* const words[] = {"xdg-open", address.c_str(), nullptr};
  pid_t child = 0;
  if (::posix_spawnp(&child, words[0], nullptr, nullptr, const_cast<char* const*>(words),
                     environ) != 0) {
    fmt::print(stderr,
               "cornet: note: --open: there is no xdg-open here; open the address in a browser\n");
  }
}

}  // namespace

std::vector<Option> addViewFlags(Verb verb, ViewRequest& request) {
  Option host = verb.addOption(
      "--host", request.host,
      "address to serve at; others than 127.0.0.1 let other machines look, unencrypted");
  Option port =
      verb.addOption(
              "--port", request.port,
              fmt::format("port to serve at; without it the first free one from {} on", kFirstPort))
          .range(1, 65535);
  Option open =
      verb.addFlag("--open", request.open, "open the page in the browser of this machine");
  return {host.showDefault(), port, open};
}

ViewServer::ViewServer(WebSite& site, const ViewRequest& request)
    : server_(site, {.host = request.host, .port = request.port, .token = makeToken()}) {
  fmt::print(stderr, "viewer at {}\n(Ctrl-C ends it)\n", server_.address());
  std::fflush(stderr);
  if (request.open) openBrowser(server_.address());
}

ViewServer::~ViewServer() {
  const ServerCounts counts = server_.counts();
  if (counts.refused > 0)
    fmt::print(stderr, "cornet: note: {} requests without the right token were refused\n",
               counts.refused);
  if (counts.dropped > 0)
    fmt::print(stderr, "cornet: note: {} messages that could not be read were dropped\n",
               counts.dropped);
}

LiveView::LiveView(LiveSession::SceneReader read, const std::string& command,
                   const ViewRequest& request, LiveOptions options)
    : session_(std::move(read), command, site_, std::move(options)), server_(site_, request) {
  site_.setNews([this] { server_.server().wake(); });
}

}  // namespace cornet::app
