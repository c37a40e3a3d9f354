#pragma once

#include <mutex>

#include <hdf5.h>

#include "cornet/io/hdf5_tables.h"

/// What the files that call the HDF5 library share. Private to `io`.
namespace cornet {

/// An HDF5 identifier that closes itself.
class Handle {
 public:
  Handle() = default;
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(Handle&& other) noexcept : id_(other.id_), close_(other.close_) { other.id_ = -1; }
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  bool valid() const { return id_ >= 0; }
  hid_t get() const { return id_; }

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

/// The library need not be built for threads: whoever calls it holds this lock. A thread may hold it twice.
/// At the end of the process the library would close what is open still: files that could not be written, which ends
/// in a fault. All others are closed before.
inline std::unique_lock<std::recursive_mutex> lockHdf5() {
  static std::recursive_mutex mutex;
  [[maybe_unused]] static const herr_t first = H5dont_atexit();
  return std::unique_lock(mutex);
}

/// The library prints its error stack by default; our exceptions say what matters.
inline void silenceHdf5() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

/// How numbers of a column are stored in the file.
inline hid_t fileType(NumberType type) {
  switch (type) {
    case NumberType::f64: return H5T_IEEE_F64LE;
    case NumberType::f32: return H5T_IEEE_F32LE;
    case NumberType::i32: return H5T_STD_I32LE;
    case NumberType::u8: return H5T_STD_U8LE;
    case NumberType::u64: return H5T_STD_U64LE;
  }
  return H5T_IEEE_F64LE;
}

}  // namespace cornet
