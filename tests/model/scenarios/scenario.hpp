// Small concurrent programs around the shipped headers. Each is checked as it is, and again with every fault that its
// header can have.
#pragma once

#include <model/checker/check.hpp>

#include <functional>
#include <string>
#include <vector>

namespace ramie::model {

struct scenario {
  std::string name;
  std::function<void()> body;
  limits within = {};
};

/// A header, and the scenarios that hold it to what it promises.
struct subject {
  std::string header;  // the end of its path
  std::vector<scenario> scenarios;
};

[[nodiscard]] subject chase_lev_subject();
[[nodiscard]] subject growing_array_subject();
[[nodiscard]] subject split_subject();
[[nodiscard]] subject fifo_lane_subject();
[[nodiscard]] subject locked_subject();
[[nodiscard]] subject abp_subject();
[[nodiscard]] subject exchange_subject();
[[nodiscard]] subject global_subject();
[[nodiscard]] subject bwos_lifo_subject();
[[nodiscard]] subject bwos_fifo_subject();
[[nodiscard]] subject injector_subject();
[[nodiscard]] subject futex_lock_subject();
[[nodiscard]] subject park_word_subject();
[[nodiscard]] subject idle_driver_subject();
[[nodiscard]] subject wait_record_subject();
[[nodiscard]] subject join_word_subject();
[[nodiscard]] subject timer_heap_subject();
[[nodiscard]] subject timekeeper_subject();
[[nodiscard]] subject reap_turn_subject();
[[nodiscard]] subject start_signal_subject();
[[nodiscard]] subject foreign_callers_subject();
[[nodiscard]] subject waiting_threads_subject();
[[nodiscard]] subject fork_list_subject();
[[nodiscard]] subject fork_protocol_subject();
[[nodiscard]] subject counter_subject();
[[nodiscard]] subject segment_table_subject();
[[nodiscard]] subject magazine_subject();
[[nodiscard]] subject idle_word_subject();
[[nodiscard]] subject sleep_gate_subject();
[[nodiscard]] subject termination_subject();
[[nodiscard]] subject statistics_subject();
[[nodiscard]] subject begin_word_subject();
[[nodiscard]] subject end_word_subject();
[[nodiscard]] subject pool_waiter_subject();
[[nodiscard]] subject follow_subject();
[[nodiscard]] subject job_words_subject();
[[nodiscard]] subject turnstile_subject();
[[nodiscard]] subject locked_word_subject();
[[nodiscard]] subject semaphore_subject();
[[nodiscard]] subject event_subject();
[[nodiscard]] subject latch_subject();
[[nodiscard]] subject barrier_subject();
[[nodiscard]] subject future_subject();
[[nodiscard]] subject mutex_subject();
[[nodiscard]] subject shared_mutex_subject();
[[nodiscard]] subject condition_subject();
[[nodiscard]] subject conditional_subject();
[[nodiscard]] subject once_subject();
[[nodiscard]] subject biased_lock_subject();
[[nodiscard]] subject channel_subject();
[[nodiscard]] subject channel_end_counts_subject();

/// With a fault that is no operation of its own: an owner that offers no fork, since its lane seems full, tells nobody.
[[nodiscard]] report fork_beside_a_full_lane_silently();

/// All of them.
[[nodiscard]] const std::vector<subject>& subjects();

}  // namespace ramie::model
