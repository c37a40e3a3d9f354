#pragma once

namespace cornet {

/// Makes ECOS available to `EcosSolver`; call it once at start-up. A program that links this
/// library is under the GPL-3 as a whole.
void useEcos();

}  // namespace cornet
