//! tokio in the suite `waiting`: main ROW OPERATIONS WORKERS [current_thread] prints one row as a line of JSON. The sizes
//! are those of bench/waiting/problem.hpp.

mod channels;
mod locks;
mod timers;

use ramie_bench_peer::Taken;
use std::process::exit;

pub const BOUND: usize = 1000; // of a bounded channel
pub const PARTIES: u64 = 100; // that share a mutex, a semaphore, a condition variable
pub const PERMITS: u64 = 10;
pub const LISTENERS: u64 = 1000; // that select over a shared stop
pub const THREADS: u64 = 2; // beside the parties
pub const CHILDREN: u64 = 10; // of a scope
/// Of a party's locks, one in so many is timed: two looks at the clock cost more than a free mutex.
pub const TIMED_EVERY: u64 = 16;

/// One repetition.
pub struct Outcome {
    pub taken: Taken,
    pub operations: u64,
    pub right: bool,
    /// Besides the time.
    pub stats: Vec<(&'static str, f64)>,
}

/// How many of `operations` one of `shares` does: at least one.
pub fn each(operations: u64, shares: u64) -> u64 {
    (operations + shares - 1) / shares
}

async fn run(row: &str, n: u64) -> Option<Outcome> {
    Some(match row {
        "channel_pingpong" => channels::pingpong(n).await,
        "channel_1_1" => channels::one_to_one(n).await,
        "channel_4_4" => channels::four_to_four(n).await,
        "channel_unbounded_1_1" => channels::unbounded(n).await,
        "select_2" => channels::select_2(n).await,
        "select_16" => channels::select_16(n).await,
        "select_stop" => channels::select_stop(n).await,
        "mutex_free" => locks::mutex_free(n).await,
        "mutex_100" => locks::mutex_shared(n, false, 0).await,
        "mutex_100_yield" => locks::mutex_shared(n, true, 0).await,
        "mutex_threads" => locks::mutex_shared(n, false, THREADS).await,
        "semaphore" => locks::semaphore(n).await,
        "condvar_broadcast" => locks::broadcast(n).await,
        "timer_cancelled" => timers::cancelled(n).await,
        "timers_fire" => timers::fire(n).await,
        "scope_spawn_join" => locks::scope_spawn_join(n).await,
        _ => return None,
    })
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let usage = || -> ! {
        eprintln!("usage: waiting_tokio ROW OPERATIONS WORKERS [current_thread]");
        exit(2)
    };
    if arguments.len() < 4 {
        usage();
    }
    let row = arguments[1].clone();
    let operations: u64 = arguments[2].parse().unwrap_or_else(|_| usage());
    let workers: usize = arguments[3].parse().unwrap_or_else(|_| usage());
    let current_thread = arguments.get(4).map(String::as_str) == Some("current_thread");
    if operations == 0 || workers == 0 {
        usage();
    }

    let runtime = if current_thread {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
    } else {
        tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_time().build().unwrap()
    };
    // Spawned, so that the work runs on a worker and not on the thread that waits for it.
    let named = row.clone();
    let outcome = runtime.block_on(async { tokio::spawn(async move { run(&named, operations).await }).await.unwrap() });
    let Some(Outcome { taken, operations, right, stats }) = outcome else { usage() };

    let value = taken.seconds * 1e9 / operations as f64;
    let name = if current_thread { "tokio_current_thread" } else { "tokio" };
    let Taken { cpu_s, voluntary_switches, .. } = taken;
    let more: String = stats.iter().map(|(name, value)| format!(",\"{name}\":{value}")).collect();
    println!(
        "{{\"suite\":\"waiting\",\"row\":\"{row}\",\"runtime\":\"{name}\",\"workers\":{workers},\"queue\":\"\",\
         \"unit\":\"ns\",\"median\":{value},\"min\":{value},\"max\":{value},\"runs\":1,\"verified\":{right},\
         \"stats\":{{\"cpu_s\":{cpu_s},\"voluntary_switches\":{voluntary_switches}{more}}}}}"
    );
}
