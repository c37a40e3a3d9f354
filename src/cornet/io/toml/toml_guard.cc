#include "cornet/io/toml/toml_guard.h"

namespace cornet {
namespace {

constexpr int kMaxParts = 32;

// Walks through a text and knows whether it is in a comment or in quotes.
class TomlGuard {
 public:
  explicit TomlGuard(const SourceText& source) : source_(source), text_(source.text()) {}

  void run() {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // the mark some editors begin UTF-8 with
    while (at_ < text_.size()) {
      switch (state_) {
        case State::plain: readPlain(); break;
        case State::comment: readComment(); break;
        case State::quoted: readQuoted(); break;
      }
    }
  }

 private:
  enum class State { plain, comment, quoted };

  char now() const { return text_[at_]; }
  bool isBeyondAscii() const { return static_cast<unsigned char>(now()) >= 0x80; }
  void advance(std::size_t count = 1) {
    for (std::size_t k = 0; k < count && at_ < text_.size(); ++k, ++at_) {
      const bool continues = (static_cast<unsigned char>(now()) & 0xc0) == 0x80;
      if (!continues) ++place_.column;
      if (now() == '\n') place_ = {place_.line + 1, 1};
    }
  }
  [[noreturn]] void refuse(const std::string& what, const std::string& help) const {
    throw FindingsError(source_, {{place_, what, help}});
  }

  void readPlain() {
    if (isBeyondAscii()) refuse("a letter that keys and numbers do not have", "put the text in quotes");
    // Dots of numbers stand between commas.
    if (std::string_view("\n,[]{}=").find(now()) != std::string_view::npos) dots_ = 0;
    if (now() == '.' && ++dots_ >= kMaxParts) {
      refuse("this key has more than " + std::to_string(kMaxParts) + " parts",
             "expected a key of a few parts, such as a.shape");
    }
    if (now() == '#') state_ = State::comment;
    if (now() == '"' || now() == '\'') {
      quote_ = now();
      multi_line_ = text_.substr(at_, 3) == std::string(3, quote_);
      after_backslash_ = false;
      state_ = State::quoted;
      if (multi_line_) advance(2);
    }
    advance();
  }

  void readComment() {
    if (now() == '\n') state_ = State::plain;
    else advance();
  }

  void readQuoted() {
    const bool blank = std::string_view(" \t\r\n").find(now()) != std::string_view::npos;
    if (multi_line_ && after_backslash_ && isBeyondAscii()) {
      refuse("this letter follows a backslash", "begin the rest with a letter of ASCII, or leave out the backslash");
    }
    if (!multi_line_ && now() == '\n') {
      state_ = State::plain;
    } else if (now() == '\\' && quote_ == '"') {
      const bool escapes = at_ + 1 < text_.size() && (text_[at_ + 1] == '"' || text_[at_ + 1] == '\\');
      after_backslash_ = !escapes;
      advance(escapes ? 2 : 1);
    } else if (now() == quote_ && (!multi_line_ || text_.substr(at_, 3) == std::string(3, quote_))) {
      state_ = State::plain;
      advance(multi_line_ ? 3 : 1);
    } else {
      after_backslash_ = after_backslash_ && blank;
      advance();
    }
  }

  const SourceText& source_;
  std::string_view text_;
  std::size_t at_ = 0;
  SourcePlace place_;
  State state_ = State::plain;
  int dots_ = 0;
  char quote_ = '"';
  bool multi_line_ = false;
  bool after_backslash_ = false;
};

}  // namespace

void guardToml(const SourceText& source) { TomlGuard(source).run(); }

}  // namespace cornet
