#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace cornet {

/// A list whose entries keep the memory they have taken when it is cleared.
template <class T>
class KeptList {
 public:
  /// A new last entry. It is what it was when it was in the list before: whoever adds it sets all of it.
  T& add() {
    if (size_ == entries_.size()) entries_.emplace_back();
    return entries_[size_++];
  }
  void push_back(const T& entry) { add() = entry; }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  /// Others keep their order.
  template <class Predicate>
  void removeIf(Predicate isOut) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < size_; ++k) {
      if (isOut(entries_[k])) continue;
      if (kept != k) std::swap(entries_[kept], entries_[k]);
      ++kept;
    }
    size_ = kept;
  }
  void swap(KeptList& other) {
    entries_.swap(other.entries_);
    std::swap(size_, other.size_);
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t k) { return entries_[k]; }
  const T& operator[](std::size_t k) const { return entries_[k]; }
  T& back() { return entries_[size_ - 1]; }
  T* begin() { return entries_.data(); }
  T* end() { return begin() + size_; }
  const T* begin() const { return entries_.data(); }
  const T* end() const { return begin() + size_; }
  operator std::span<T>() { return {begin(), size_}; }
  operator std::span<const T>() const { return {begin(), size_}; }

 private:
  std::vector<T> entries_;
  std::size_t size_ = 0;
};

}  // namespace cornet
