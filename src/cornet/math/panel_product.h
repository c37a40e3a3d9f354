#pragma once

/// The product that factorizations spend their time in. Every entry is one sum in the order of the depth, whatever the
/// width of the machine's registers: all machines give the same bits.
namespace cornet::kernels {

/// A dense matrix in memory, column-major with a stride.
template <class Value>
struct Columns {
  Value* values;
  int stride;
};

/// C (rows x cols) -= A (rows x depth) Bᵀ (cols x depth).
void subtractProduct(int rows, int cols, int depth, Columns<const double> A, Columns<const double> B,
                     Columns<double> C);
/// The same as a machine without wide registers does it.
void subtractProductPlain(int rows, int cols, int depth, Columns<const double> A, Columns<const double> B,
                          Columns<double> C);

}  // namespace cornet::kernels
