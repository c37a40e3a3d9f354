#include "cornet/io/scene/expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "cornet/io/toml/suggestion.h"

namespace cornet {
namespace {

struct Function {
  std::string_view name;
  int arguments;
  double (*call)(double, double);
};

constexpr std::array kFunctions = {
    Function{"sqrt", 1, [](double x, double) { return std::sqrt(x); }},
    Function{"sin", 1, [](double x, double) { return std::sin(x); }},
    Function{"cos", 1, [](double x, double) { return std::cos(x); }},
    Function{"tan", 1, [](double x, double) { return std::tan(x); }},
    Function{"asin", 1, [](double x, double) { return std::asin(x); }},
    Function{"acos", 1, [](double x, double) { return std::acos(x); }},
    Function{"atan", 1, [](double x, double) { return std::atan(x); }},
    Function{"exp", 1, [](double x, double) { return std::exp(x); }},
    Function{"log", 1, [](double x, double) { return std::log(x); }},
    Function{"abs", 1, [](double x, double) { return std::abs(x); }},
    Function{"min", 2, [](double x, double y) { return std::min(x, y); }},
    Function{"max", 2, [](double x, double y) { return std::max(x, y); }}};

const Function* findFunction(std::string_view name) {
  const auto found = std::ranges::find(kFunctions, name, &Function::name);
  return found == kFunctions.end() ? nullptr : &*found;
}

// Deeper nesting is no formula a person wrote, and would be read by recursion.
constexpr int kMaxNesting = 64;

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

/// sum := product ((+|-) product)*    product := sign ((*|/) sign)*    sign := -sign | power
/// power := primary (^ sign)?         primary := number | name | name(sum, ...) | (sum)
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, Expression& result) : text_(text), result_(result) {}

  void run() {
    readSum();
    if (peek() != '\0') fail(fmt::format("'{}' is not expected here", peek()), "expected an operator or the end");
  }

 private:
  using Kind = Expression::Operation::Kind;

  [[noreturn]] void fail(const std::string& what, const std::string& help) const {
    throw ExpressionError(at_, what, help);
  }
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void emit(Kind kind, double value = 0.0, std::string name = {}, std::size_t at = 0) {
    result_.operations_.push_back({kind, value, std::move(name), at});
  }

  void readSum() {
    if (++depth_ > kMaxNesting) fail("the formula is nested too deeply", "use parameters for its parts");
    readProduct();
    for (;;) {
      if (take('+')) {
        readProduct();
        emit(Kind::add);
      } else if (take('-')) {
        readProduct();
        emit(Kind::subtract);
      } else {
        break;
      }
    }
    --depth_;
  }

  void readProduct() {
    readSign();
    for (;;) {
      if (take('*')) {
        readSign();
        emit(Kind::multiply);
      } else if (take('/')) {
        readSign();
        emit(Kind::divide);
      } else {
        break;
      }
    }
  }

  void readSign() {
    if (++depth_ > kMaxNesting) fail("the formula is nested too deeply", "use parameters for its parts");
    if (take('-')) {
      readSign();
      emit(Kind::negate);
    } else {
      readPrimary();
      if (take('^')) {
        readSign();
        emit(Kind::power);
      }
    }
    --depth_;
  }

  void readPrimary() {
    if (take('(')) {
      readSum();
      if (!take(')')) fail("a parenthesis is not closed", "add \")\"");
    } else if (isDigit(peek()) || peek() == '.') {
      readNumber();
    } else if (isLetter(peek()) || peek() == '$') {
      readName();
    } else {
      fail(peek() == '\0' ? "the formula ends too early" : fmt::format("'{}' is not expected here", peek()),
           "expected a number, a name or \"(\"");
    }
  }

  void readNumber() {
    double value = 0.0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc()) fail("this is no number", "expected a number such as 0.5 or 1e-3");
    at_ += static_cast<std::size_t>(end - begin);
    emit(Kind::number, value);
  }

  void readName() {
    take('$');
    const std::size_t begin = at_;
    while (at_ < text_.size() && (isLetter(text_[at_]) || isDigit(text_[at_]))) ++at_;
    std::string name(text_.substr(begin, at_ - begin));
    if (!take('(')) return emit(Kind::name, 0.0, std::move(name), begin);
    const Function* function = findFunction(name);
    if (!function) {
      at_ = begin;
      fail(fmt::format("there is no function \"{}\"", name),
           "known: sqrt, sin, cos, tan, asin, acos, atan, exp, log, abs, min, max");
    }
    for (int k = 0; k < function->arguments; ++k) {
      if (k > 0 && !take(',')) fail(fmt::format("{} takes {} arguments", name, function->arguments), "add \",\"");
      readSum();
    }
    if (!take(')')) fail("a parenthesis is not closed", "add \")\"");
    emit(Kind::function, 0.0, std::move(name));
  }

  std::string_view text_;
  Expression& result_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

ExpressionError::ExpressionError(std::size_t at, const std::string& what, std::string help)
    : std::runtime_error(what), at_(at), help_(std::move(help)) {}

Expression::Expression(double value) : operations_{{Operation::Kind::number, value}} {}

Expression::Expression(std::string_view text) { ExpressionParser(text, *this).run(); }

bool Expression::uses(std::string_view name) const {
  return std::ranges::any_of(operations_, [&](const Operation& operation) {
    return operation.kind == Operation::Kind::name && operation.name == name;
  });
}

namespace {

double valueOf(std::string_view name, std::size_t at, const Variables& variables) {
  if (const auto found = variables.find(name); found != variables.end()) return found->second;
  if (name == "pi") return std::numbers::pi;
  if (name == "deg") return std::numbers::pi / 180.0;
  std::vector<std::string> known;
  for (const auto& [other, value] : variables) known.push_back(other);
  const std::string near = suggest(name, known);
  throw ExpressionError(at, fmt::format("there is no parameter \"{}\"", name),
                        near.empty() ? fmt::format("add a [[parameter]] with name = \"{}\"", name)
                                     : fmt::format("did you mean \"{}\"?", near));
}

}  // namespace

double Expression::evaluate(const Variables& variables) const {
  using Kind = Operation::Kind;
  std::vector<double> stack;
  const auto pop = [&stack] {
    const double x = stack.back();
    stack.pop_back();
    return x;
  };
  for (const Operation& operation : operations_) {
    if (operation.kind == Kind::number) {
      stack.push_back(operation.value);
      continue;
    }
    if (operation.kind == Kind::name) {
      stack.push_back(valueOf(operation.name, operation.at, variables));
      continue;
    }
    const Function* function = findFunction(operation.name);
    const bool unary = operation.kind == Kind::negate || (function && function->arguments == 1);
    const double y = unary ? 0.0 : pop();
    double& x = stack.back();
    switch (operation.kind) {
      case Kind::negate: x = -x; break;
      case Kind::add: x += y; break;
      case Kind::subtract: x -= y; break;
      case Kind::multiply: x *= y; break;
      case Kind::divide: x /= y; break;
      case Kind::power: x = std::pow(x, y); break;
      default: x = function->call(x, y);
    }
  }
  return stack.back();
}

}  // namespace cornet
