// ramie's own engine.
#pragma once

#include "c/pool/engine.hpp"

namespace ramie::pool::helping {

[[nodiscard]] thread_pool* make(const thread_pool_options& chosen);
void destroy(thread_pool& ended);
[[nodiscard]] future* submit(thread_pool& to, fork_join_task_t task, void* data);
[[nodiscard]] void* get(future& awaited);
void free(future& unwanted);

}  // namespace ramie::pool::helping
