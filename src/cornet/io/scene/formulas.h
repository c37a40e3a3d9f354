#pragma once

#include "cornet/io/scene/expression.h"
#include "cornet/io/toml/table_reader.h"

/// Formulas in TOML: "$mu" is the parameter mu, "=2*mu" any formula.
namespace cornet {

/// Letters, digits and _, not beginning with a digit, and not a name that formulas know already.
bool isFormulaName(std::string_view name);

/// Puts numbers in the place of formulas, everywhere below. What is wrong becomes a finding of `file`, and the
/// number 1, which most limits allow. Texts (title, name, ...) and the key `expected` stay as they are.
void evaluateFormulas(TomlValue& value, const Variables& variables, TomlFile& file);

}  // namespace cornet
