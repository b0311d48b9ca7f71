#pragma once

#include <ramie/scheduler/options.hpp>

#include "jobs/problem.hpp"

// One function a runtime and row: the size's type says which row it is.
namespace bench::jobs {

/// A root job runs the jobs as its children, and is waited for: the source's slower form.
[[nodiscard]] timed run_ramie(const ramie::options& o, const batch& b);
/// A fiber runs jobs that have no parent, and each counts down as it ends. The source's faster form, which knows that
/// all have ended when all of its threads are idle.
[[nodiscard]] timed run_ramie_no_parents(const ramie::options& o, const batch& b);
/// A job for every node, the child of the one above.
[[nodiscard]] timed run_ramie(const ramie::options& o, const tree& t);
/// Split evenly over plain threads: the jobs; the subtrees of the fourth level.
[[nodiscard]] timed run_control(unsigned workers, const batch& b);
[[nodiscard]] timed run_control(unsigned workers, const tree& t);
/// Calls, in a fiber.
[[nodiscard]] timed run_plain_call(const batch& b);
[[nodiscard]] timed run_plain_call(const tree& t);
/// By task_group::run(), one task at a time; one group for the whole tree.
[[nodiscard]] timed run_tbb(unsigned workers, const batch& b);
[[nodiscard]] timed run_tbb(unsigned workers, const tree& t);

}  // namespace bench::jobs
