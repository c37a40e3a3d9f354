#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

#include "view/client_message.h"
#include "view/web_site.h"

namespace cornet::app {

/// Between the thread that simulates and the one that serves: the newest header, frame and state go
/// one way, commands the other. Neither waits for the other: messages replace those before, as do
/// pulls and values of a slider that follow each other; commands beyond kMostCommands are dropped.
class LiveSite final : public WebSite {
 public:
  static constexpr std::size_t kMostCommands = 256;

  /// Of the simulation's thread. `news` is called after each message: WebServer::wake().
  void setNews(std::function<void()> news) { news_ = std::move(news); }
  void publish(Channel channel, std::string bytes);
  std::vector<ClientMessage> takeCommands();
  /// Returns when there is a command, or after this time.
  void waitForCommand(std::chrono::duration<double> patience);

  /// Of the server's thread.
  WebAnswer get(const std::string& path) override;
  bool isLive() const override { return true; }
  Posted latest(Channel channel) override;
  bool receive(const std::string& text) override;
  void leave() override;  // whoever pulled lets go

 private:
  std::function<void()> news_;
  std::mutex mutex_;
  std::condition_variable has_command_;
  std::array<Posted, kChannelCount> posted_;
  std::vector<ClientMessage> commands_;
};

}  // namespace cornet::app
