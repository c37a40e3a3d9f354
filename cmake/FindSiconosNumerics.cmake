# The solver collection of Siconos (Debian: libsiconos-numerics-dev, Apache-2.0) as target
# Siconos::Numerics. Its headers include each other by bare names, hence the three folders.
find_path(SICONOS_INCLUDE_DIR siconos/SiconosConfig.h)
find_library(SICONOS_NUMERICS_LIBRARY NAMES siconos_numerics)
find_library(SICONOS_EXTERNALS_LIBRARY NAMES siconos_externals)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SiconosNumerics
  REQUIRED_VARS SICONOS_NUMERICS_LIBRARY SICONOS_EXTERNALS_LIBRARY SICONOS_INCLUDE_DIR)
mark_as_advanced(SICONOS_INCLUDE_DIR SICONOS_NUMERICS_LIBRARY SICONOS_EXTERNALS_LIBRARY)
if(SiconosNumerics_FOUND AND NOT TARGET Siconos::Numerics)
  add_library(Siconos::Numerics UNKNOWN IMPORTED)
  set_target_properties(Siconos::Numerics PROPERTIES
    IMPORTED_LOCATION ${SICONOS_NUMERICS_LIBRARY}
    INTERFACE_LINK_LIBRARIES ${SICONOS_EXTERNALS_LIBRARY})
  target_include_directories(Siconos::Numerics SYSTEM INTERFACE
    ${SICONOS_INCLUDE_DIR} ${SICONOS_INCLUDE_DIR}/siconos ${SICONOS_INCLUDE_DIR}/siconos/numerics)
endif()
