//! tokio's timers, which are kept in steps of a millisecond.

use crate::Outcome;
use ramie_bench_peer::Stopwatch;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{sleep, sleep_until, Instant};

const LEAD: Duration = Duration::from_nanos(4000); // for each of the sleepers, before the first wakes
const SPACING: Duration = Duration::from_nanos(10000); // between two deadlines
const STRIDE: u64 = 7919; // a prime: deadlines do not come in the order of the sleepers

/// A timer is armed when it is first polled, and taken back when it is dropped.
pub async fn cancelled(operations: u64) -> Outcome {
    let mut cancelled = 0;
    let watch = Stopwatch::start();
    for _ in 0..operations {
        let timer = sleep(Duration::from_secs(3600));
        tokio::pin!(timer);
        tokio::select! {
            biased;
            _ = &mut timer => {}
            _ = async {} => cancelled += 1,
        }
    }
    Outcome { taken: watch.stop(), operations, right: cancelled == operations, stats: vec![] }
}

/// The row is the CPU time of one sleeper.
pub async fn fire(sleepers: u64) -> Outcome {
    let mut all = JoinSet::new();
    let watch = Stopwatch::start();
    let first = Instant::now() + LEAD * sleepers as u32;
    for i in 0..sleepers {
        all.spawn(async move {
            let deadline = first + SPACING * (i * STRIDE % sleepers) as u32;
            sleep_until(deadline).await;
            // Signed: whoever wakes early is to be seen.
            let now = Instant::now();
            match now.checked_duration_since(deadline) {
                Some(late) => late.as_nanos() as i64,
                None => -1 - deadline.duration_since(now).as_nanos() as i64,
            }
        });
    }
    let mut lateness = Vec::with_capacity(sleepers as usize);
    while let Some(one) = all.join_next().await {
        lateness.push(one.unwrap());
    }
    let mut taken = watch.stop();
    taken.seconds = taken.cpu_s;
    lateness.sort_unstable();
    let us = |i: usize| lateness[i] as f64 / 1e3;
    let n = lateness.len();
    Outcome {
        taken,
        operations: sleepers,
        right: n as u64 == sleepers && lateness[0] >= 0,
        stats: vec![("n", n as f64), ("p99_lateness_us", us(n * 99 / 100)), ("worst_lateness_us", us(n - 1))],
    }
}
