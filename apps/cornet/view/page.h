#pragma once

#include <string>
#include <string_view>

#include "view/web_site.h"

/// The viewer's page, which is part of the program when it was built before (docs/viewer.md).
namespace cornet::app {

/// The page; empty in a program that was built without it.
std::string_view viewerPage();

/// Throws FileError, saying how to get it, when there is no page.
void requirePage();

WebAnswer pageAnswer();

/// The page with data in its slot; `json` must have no "<". Throws std::logic_error for a page
/// without the slot.
std::string fillPage(std::string_view page, std::string_view json);

/// The page with its code packed to a third, which it unpacks when it is opened; a page without a
/// module of code as it is.
std::string packPage(std::string_view page);

}  // namespace cornet::app
