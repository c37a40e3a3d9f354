#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// Numbers written as formulas: + - * / ^, parentheses, names, pi, deg (π/180), and the functions
/// sqrt sin cos tan asin acos atan exp log abs min max.
namespace cornet {

using Variables = std::map<std::string, double, std::less<>>;

/// A formula that cannot be read or has a name without a value.
class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(std::size_t at, const std::string& what, std::string help);
  std::size_t at() const { return at_; }  // character of the formula, from 0
  const std::string& help() const { return help_; }

 private:
  std::size_t at_;
  std::string help_;
};

class Expression {
 public:
  /// A constant.
  Expression(double value = 0.0);  // NOLINT: a number is a formula
  /// Throws ExpressionError.
  explicit Expression(std::string_view text);

  /// Throws ExpressionError for a name without a value. May give a number that is not finite.
  double evaluate(const Variables& variables) const;
  /// Whether the name occurs in it.
  bool uses(std::string_view name) const;

 private:
  friend class ExpressionParser;
  // Postfix: operands come before what takes them.
  struct Operation {
    enum class Kind { number, name, negate, add, subtract, multiply, divide, power, function };
    Kind kind = Kind::number;
    double value = 0.0;
    std::string name = {};
    std::size_t at = 0;
  };
  std::vector<Operation> operations_;
};

}  // namespace cornet
