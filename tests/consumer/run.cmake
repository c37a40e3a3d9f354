# Installs cornet into a scratch folder, builds the consumer against it there, and runs it.
set(scratch ${CORNET_BINARY_DIR}/consumer)
file(REMOVE_RECURSE ${scratch})
file(COPY ${PROJECT}/ DESTINATION ${scratch}/source)
foreach(command
    "${CMAKE_COMMAND} --install ${CORNET_BINARY_DIR} --prefix ${scratch}/prefix"
    "${CMAKE_COMMAND} -S ${scratch}/source -B ${scratch}/build -G Ninja -DCMAKE_BUILD_TYPE=${BUILD_TYPE} -DCMAKE_PREFIX_PATH=${scratch}/prefix"
    "${CMAKE_COMMAND} --build ${scratch}/build"
    "${scratch}/build/consumer"
    "${scratch}/prefix/bin/cornet demo")
  separate_arguments(words UNIX_COMMAND "${command}")
  execute_process(COMMAND ${words} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed (${result}): ${command}")
  endif()
endforeach()
