#include <model/scenarios/scenario.hpp>

namespace ramie::model {

const std::vector<subject>& subjects() {
  static const std::vector<subject> all = {
      chase_lev_subject(),     growing_array_subject(),   split_subject(),
      fifo_lane_subject(),     locked_subject(),          abp_subject(),
      exchange_subject(),      global_subject(),          bwos_lifo_subject(),
      bwos_fifo_subject(),     injector_subject(),        futex_lock_subject(),
      park_word_subject(),     idle_driver_subject(),     wait_record_subject(),
      timer_heap_subject(),    timekeeper_subject(),      join_word_subject(),
      start_signal_subject(),  foreign_callers_subject(), waiting_threads_subject(),
      fork_list_subject(),     fork_protocol_subject(),   counter_subject(),
      segment_table_subject(), magazine_subject(),        idle_word_subject(),
      sleep_gate_subject(),    termination_subject(),     statistics_subject(),
      begin_word_subject(),    end_word_subject(),        pool_waiter_subject(),
      follow_subject(),        job_words_subject(),       turnstile_subject(),
      reap_turn_subject(),     locked_word_subject(),     semaphore_subject(),
      event_subject(),         latch_subject(),           barrier_subject(),
      future_subject(),        mutex_subject(),           shared_mutex_subject(),
      condition_subject(),     conditional_subject(),     once_subject(),
      biased_lock_subject(),   channel_subject(),         channel_end_counts_subject()};
  return all;
}

}  // namespace ramie::model
