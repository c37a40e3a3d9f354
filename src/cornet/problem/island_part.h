#pragma once

#include "cornet/math/islands.h"
#include "cornet/problem/contact_problem.h"
#include "cornet/problem/delassus_problem.h"

/// One island of a problem as a problem of its own.
namespace cornet {

/// The pattern whose islands are those of the problem: J, or W.
const BlockSparseMatrix& islandPattern(const ContactProblem& problem);
const BlockSparseMatrix& islandPattern(const DelassusProblem& problem);

/// Copies the blocks (and trees) of one island, in their order. `part` keeps its memory.
void extractIsland(const ContactProblem& problem, const Islands& islands, int island,
                   ContactProblem& part);
void extractIsland(const DelassusProblem& problem, const Islands& islands, int island,
                   DelassusProblem& part);

/// Rows of the island's blocks out of a vector of all rows, and back.
void gatherRows(const ConstraintRows& rows, std::span<const int> blocks, const VectorXd& all,
                VectorXd& part);
void scatterRows(const ConstraintRows& rows, std::span<const int> blocks, const VectorXd& part,
                 VectorXd& all);

}  // namespace cornet
