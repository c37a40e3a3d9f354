#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <vector>

namespace cornet {

/// A list of any length whose first N entries are inside it: up to N of them take no memory of their own.
template <class T, int N>
class ShortList {
 public:
  ShortList() = default;
  ShortList(const ShortList& other) { *this = other; }
  ShortList(ShortList&&) = default;
  ShortList& operator=(const ShortList& other) {
    if (this == &other) return *this;
    if (other.size_ <= N) {
      std::copy(other.begin(), other.end(), inside_.begin());
    } else if (outside_) {
      *outside_ = *other.outside_;
    } else {
      outside_ = std::make_unique<std::vector<T>>(*other.outside_);
    }
    size_ = other.size_;
    return *this;
  }
  ShortList& operator=(ShortList&&) = default;
  ShortList(std::initializer_list<T> values) {
    for (const T& value : values) push_back(value);
  }

  void push_back(const T& value) {
    if (size_ < N) {
      inside_[static_cast<std::size_t>(size_)] = value;
    } else {
      if (size_ == N) {
        if (!outside_) outside_ = std::make_unique<std::vector<T>>();
        outside_->assign(inside_.begin(), inside_.end());
      }
      outside_->push_back(value);
    }
    ++size_;
  }
  /// Memory is kept.
  void clear() { size_ = 0; }

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T* begin() const { return size_ <= N ? inside_.data() : outside_->data(); }
  const T* end() const { return begin() + size_; }
  T* begin() { return size_ <= N ? inside_.data() : outside_->data(); }
  T* end() { return begin() + size_; }
  const T& operator[](int k) const { return begin()[k]; }
  T& operator[](int k) { return begin()[k]; }

  bool operator==(const ShortList& other) const { return std::equal(begin(), end(), other.begin(), other.end()); }

 private:
  std::array<T, N> inside_;
  std::unique_ptr<std::vector<T>> outside_;  // all of them, once they are more than N
  int size_ = 0;
};

}  // namespace cornet
