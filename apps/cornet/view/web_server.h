#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "view/web_site.h"

/// Serves a site by HTTP and WebSocket (docs/formats/page_data.md) from a thread of its own.
/// Requests need the token of the address, but for the page itself; they name no file, have no body
/// and are bounded, as are messages.
namespace cornet::app {

struct ServerOptions {
  std::string host = "127.0.0.1";  // an address of this machine
  int port = 0;                    // 0: the first free one from kFirstPort on
  std::string token = {};          // makeToken()
};

inline constexpr int kFirstPort = 8470;
inline constexpr std::size_t kLongestMessage = 4096;  // [bytes] of a client

struct ServerCounts {
  std::uint64_t refused = 0;  // requests without the token
  std::uint64_t dropped = 0;  // messages that were malformed or too long
  int clients = 0;            // sockets that are open
};

class WebServer {
 public:
  /// Begins to serve. The site must outlive the server. Throws std::invalid_argument for a host
  /// that is no address of this machine, std::runtime_error when no port can be had.
  WebServer(WebSite& site, const ServerOptions& options);
  ~WebServer();
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  int port() const;
  /// What to type into a browser.
  std::string address() const;
  /// Says that the site has news for its clients. From any thread; never waits for a client.
  void wake();
  ServerCounts counts() const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace cornet::app
