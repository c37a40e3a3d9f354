#pragma once

#include <cstdint>
#include <memory>
#include <string>

/// What a WebServer serves. All functions are called on the server's thread, after the token was
/// found right.
namespace cornet::app {

struct WebAnswer {
  int status = 200;
  std::string type = "text/plain";
  std::string body;
};

/// Kinds of messages to the clients of a live run, in the order in which they are sent. Of each
/// kind a client gets the newest it has not had: one that is slow misses some, and nothing piles
/// up.
enum class Channel : std::uint8_t { header, frame, state };
inline constexpr int kChannelCount = 3;

struct Posted {
  std::uint64_t number = 0;  // grows with every message of the channel; 0: none yet
  std::shared_ptr<const std::string> bytes = {};  // text, but of frames
};

class WebSite {
 public:
  virtual ~WebSite() = default;

  /// Answers GET of a path, which has no query. Never a file of this name: paths are words of the
  /// protocol.
  virtual WebAnswer get(const std::string& path) = 0;
  /// Whether clients may open a socket.
  virtual bool isLive() const { return false; }
  virtual Posted latest(Channel) { return {}; }
  /// A client's socket has closed.
  virtual void leave() {}
  /// A client's message; false for one that is malformed.
  virtual bool receive(const std::string&) { return false; }
};

}  // namespace cornet::app
