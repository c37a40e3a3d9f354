#pragma once

#include <functional>

/// Counts what is taken from the heap. A program that uses it links allocation_counter.cc and is linked
/// with -Wl,--wrap=malloc and its like (cornet_memory_test does both).
namespace cornet::test {

/// Calls of malloc, calloc, realloc and new while `action` runs, on all threads.
long countAllocations(const std::function<void()>& action);

}  // namespace cornet::test
