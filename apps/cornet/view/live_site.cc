#include "view/live_site.h"

#include <utility>

#include <fmt/format.h>

#include "view/page.h"

namespace cornet::app {
namespace {

// Whether the later command makes the earlier one pointless: a hand or a slider that moved on.
bool replaces(const ClientMessage& later, const ClientMessage& earlier) {
  using Type = ClientMessage::Type;
  if (later.type != earlier.type) return false;
  return later.type == Type::pull || (later.type == Type::set && later.name == earlier.name);
}

}  // namespace

void LiveSite::publish(Channel channel, std::string bytes) {
  auto message = std::make_shared<const std::string>(std::move(bytes));
  {
    const std::lock_guard lock(mutex_);
    Posted& posted = posted_[static_cast<std::size_t>(channel)];
    posted = {posted.number + 1, std::move(message)};
  }
  if (news_) news_();
}

std::vector<ClientMessage> LiveSite::takeCommands() {
  const std::lock_guard lock(mutex_);
  return std::exchange(commands_, {});
}

void LiveSite::waitForCommand(std::chrono::duration<double> patience) {
  std::unique_lock lock(mutex_);
  has_command_.wait_for(lock, patience, [this] { return !commands_.empty(); });
}

WebAnswer LiveSite::get(const std::string& path) {
  if (path == "/") return pageAnswer();
  if (path != "/data/header") return {404, "text/plain", "there is no such thing in a live run\n"};
  const Posted header = latest(Channel::header);
  if (header.bytes == nullptr) return {503, "text/plain", "the run has not begun\n"};
  // The message is {"type": "header", "header": {...}}: what the page asks for lies within.
  const std::string_view message = *header.bytes;
  const auto begin = message.find('{', 1);
  return {200, "application/json", std::string(message.substr(begin, message.size() - begin - 1))};
}

Posted LiveSite::latest(Channel channel) {
  const std::lock_guard lock(mutex_);
  return posted_[static_cast<std::size_t>(channel)];
}

void LiveSite::leave() {
  const std::lock_guard lock(mutex_);
  commands_.push_back({.type = ClientMessage::Type::release});
  has_command_.notify_one();
}

bool LiveSite::receive(const std::string& text) {
  std::optional<ClientMessage> message = parseClientMessage(text);
  if (!message) return false;
  const std::lock_guard lock(mutex_);
  if (!commands_.empty() && replaces(*message, commands_.back())) commands_.pop_back();
  if (commands_.size() >= kMostCommands) return false;
  commands_.push_back(std::move(*message));
  has_command_.notify_one();
  return true;
}

}  // namespace cornet::app
