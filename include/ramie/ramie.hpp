// All of ramie.
#pragma once

#include <ramie/job/job.hpp>
#include <ramie/job/parallel_for.hpp>
#include <ramie/parallel/for.hpp>
#include <ramie/parallel/fork_join.hpp>
#include <ramie/parallel/invoke.hpp>
#include <ramie/parallel/pipeline.hpp>
#include <ramie/parallel/reduce.hpp>
#include <ramie/parallel/scan.hpp>
#include <ramie/parallel/sort.hpp>
#include <ramie/parallel/task_graph.hpp>
#include <ramie/parallel/transform.hpp>
#include <ramie/scheduler/runtime.hpp>
#include <ramie/scheduler/sleep.hpp>
#include <ramie/scheduler/source_names.hpp>
#include <ramie/scheduler/spawn.hpp>
#include <ramie/scheduler/this_fiber.hpp>
#include <ramie/sync/counter.hpp>
