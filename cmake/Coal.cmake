# The collision library coal (BSD-3), from the packages in .deps/coal (see deps/coal.txt). CORNET_COAL: ON,
# OFF, or AUTO = when they are there. Sets CORNET_WITH_COAL and makes the target cornet_coal_import.
set(CORNET_COAL AUTO CACHE STRING "Contacts of cylinders, cones and ellipsoids by coal: ON, OFF, or AUTO")
set_property(CACHE CORNET_COAL PROPERTY STRINGS AUTO ON OFF)
set(CORNET_WITH_COAL OFF)
if(NOT CORNET_COAL)
  return()
endif()

set(coal_pins ${PROJECT_SOURCE_DIR}/deps/coal.txt)
set(coal_stamp ${PROJECT_SOURCE_DIR}/.deps/coal/installed-deps)
set(coal_prefix ${PROJECT_SOURCE_DIR}/.deps/coal/cmeel.prefix)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${coal_pins})
file(READ ${coal_pins} wanted)
set(installed "")
if(EXISTS ${coal_stamp} AND EXISTS ${coal_prefix}/lib/libcoal.so)
  file(READ ${coal_stamp} installed)
endif()
if(NOT installed STREQUAL wanted)
  if(CORNET_COAL STREQUAL "AUTO")
    message(STATUS "coal: not there, building without (./do build fetches it)")
    return()
  endif()
  message(FATAL_ERROR "CORNET_COAL is ON, but the packages of deps/coal.txt are not in .deps/coal; "
                      "./do build fetches them")
endif()

# Its own package file would search for Boost, octomap and the rest; we need its headers and one library,
# which finds its neighbours by itself. Named by folder and flag: CMake would pass a library's path on to
# every program that links ours.
add_library(cornet_coal_import INTERFACE)
target_include_directories(cornet_coal_import SYSTEM INTERFACE ${coal_prefix}/include)
target_link_libraries(cornet_coal_import INTERFACE
  -L${coal_prefix}/lib -lcoal -Wl,-rpath-link,${coal_prefix}/lib)
set(CORNET_COAL_FOLDER ${coal_prefix}/lib)
# What a program loads with it, for installation.
set(CORNET_COAL_LIBRARIES libcoal.so libassimp.so.6 libboost_atomic.so.1.90.0 libboost_filesystem.so.1.90.0
    libboost_serialization.so.1.90.0 liboctomap.so.1.10 liboctomath.so.1.10 libqhull_r.so.8.0)
list(TRANSFORM CORNET_COAL_LIBRARIES PREPEND ${coal_prefix}/lib/)
set(CORNET_WITH_COAL ON)
