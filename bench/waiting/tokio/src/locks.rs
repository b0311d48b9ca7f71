//! tokio's mutex, semaphore and notification, and tasks that are joined.

use crate::{each, Outcome, CHILDREN, PARTIES, PERMITS, TIMED_EVERY};
use ramie_bench_peer::Stopwatch;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, Notify, Semaphore};
use tokio::task::{yield_now, JoinSet};

pub async fn mutex_free(operations: u64) -> Outcome {
    let mutex = Mutex::new(0);
    let watch = Stopwatch::start();
    for _ in 0..operations {
        *mutex.lock().await += 1;
    }
    let taken = watch.stop();
    Outcome { taken, operations, right: mutex.into_inner() == operations, stats: vec![] }
}

/// Tasks that take one mutex in turn, and keep it over a yield if they yield. Threads beside them, if there are some, do
/// one half of the operations. Returns the longest wait of a task.
async fn party(mutex: Arc<Mutex<u64>>, locks: u64, yields: bool) -> Duration {
    let mut worst = Duration::ZERO;
    for i in 0..locks {
        let mut count = if i % TIMED_EVERY == 0 {
            let began = Instant::now();
            let count = mutex.lock().await;
            worst = worst.max(began.elapsed());
            count
        } else {
            mutex.lock().await
        };
        *count += 1;
        if yields {
            yield_now().await;
        }
    }
    worst
}

/// The same on a thread that runs no task.
fn party_of_its_own(mutex: Arc<Mutex<u64>>, locks: u64) -> Duration {
    let mut worst = Duration::ZERO;
    for i in 0..locks {
        if i % TIMED_EVERY == 0 {
            let began = Instant::now();
            let mut count = mutex.blocking_lock();
            worst = worst.max(began.elapsed());
            *count += 1;
        } else {
            *mutex.blocking_lock() += 1;
        }
    }
    worst
}

pub async fn mutex_shared(operations: u64, yields: bool, threads: u64) -> Outcome {
    let mutex = Arc::new(Mutex::new(0));
    let of_parties = if threads == 0 { operations } else { each(operations, 2) };
    let mut expected = 0;
    let mut parties = JoinSet::new();
    let mut others = Vec::new();
    let watch = Stopwatch::start();
    for _ in 0..PARTIES {
        let locks = each(of_parties, PARTIES);
        expected += locks;
        parties.spawn(party(mutex.clone(), locks, yields));
    }
    for _ in 0..threads {
        let locks = each(of_parties, threads);
        expected += locks;
        let mutex = mutex.clone();
        others.push(std::thread::spawn(move || party_of_its_own(mutex, locks)));
    }
    let mut worst = Duration::ZERO;
    while let Some(one) = parties.join_next().await {
        worst = worst.max(one.unwrap());
    }
    for one in others {
        worst = worst.max(one.join().unwrap());
    }
    let taken = watch.stop();
    let right = *mutex.lock().await == expected;
    Outcome { taken, operations: expected, right, stats: vec![("worst_wait_us", worst.as_secs_f64() * 1e6)] }
}

pub async fn semaphore(operations: u64) -> Outcome {
    let share = each(operations, PARTIES);
    let permits = Arc::new(Semaphore::new(PERMITS as usize));
    let inside = Arc::new(AtomicU64::new(0));
    let mut parties = JoinSet::new();
    let watch = Stopwatch::start();
    for _ in 0..PARTIES {
        let (permits, inside) = (permits.clone(), inside.clone());
        parties.spawn(async move {
            let mut too_many = 0;
            for _ in 0..share {
                let _permit = permits.acquire().await.unwrap();
                if inside.fetch_add(1, Relaxed) >= PERMITS {
                    too_many += 1;
                }
                yield_now().await;
                inside.fetch_sub(1, Relaxed);
            }
            (share, too_many)
        });
    }
    let (mut passed, mut too_many) = (0, 0);
    while let Some(one) = parties.join_next().await {
        let one = one.unwrap();
        passed += one.0;
        too_many += one.1;
    }
    let taken = watch.stop();
    let right = passed == share * PARTIES && too_many == 0 && inside.load(Relaxed) == 0;
    Outcome { taken, operations: share * PARTIES, right, stats: vec![] }
}

/// One waits until all parties wait, and wakes them; an operation is a party that is woken. `Notify` is tokio's condition
/// variable.
pub async fn broadcast(operations: u64) -> Outcome {
    struct Shared {
        waiting: AtomicU64,
        complete: Notify,
        changed: Notify,
    }
    let rounds = each(operations, PARTIES);
    let shared = Arc::new(Shared { waiting: AtomicU64::new(0), complete: Notify::new(), changed: Notify::new() });
    let mut parties = JoinSet::new();
    let watch = Stopwatch::start();
    for _ in 0..PARTIES {
        let shared = shared.clone();
        parties.spawn(async move {
            let mut woken = 0;
            for _ in 0..rounds {
                // From here on it is among those that notify_waiters() wakes.
                let changed = shared.changed.notified();
                if shared.waiting.fetch_add(1, std::sync::atomic::Ordering::AcqRel) == PARTIES - 1 {
                    shared.complete.notify_one();
                }
                changed.await;
                woken += 1;
            }
            woken
        });
    }
    for _ in 0..rounds {
        shared.complete.notified().await;
        shared.waiting.store(0, std::sync::atomic::Ordering::Release);
        shared.changed.notify_waiters();
    }
    let mut woken = 0;
    while let Some(one) = parties.join_next().await {
        woken += one.unwrap();
    }
    Outcome { taken: watch.stop(), operations: rounds * PARTIES, right: woken == rounds * PARTIES, stats: vec![] }
}

pub async fn scope_spawn_join(operations: u64) -> Outcome {
    let scopes = each(operations, CHILDREN);
    let mut sum = 0;
    let watch = Stopwatch::start();
    for i in 0..scopes {
        let mut scope = JoinSet::new();
        for c in 0..CHILDREN {
            scope.spawn(async move { i + c });
        }
        while let Some(one) = scope.join_next().await {
            sum += one.unwrap();
        }
    }
    let taken = watch.stop();
    let expected = CHILDREN * (scopes * (scopes - 1) / 2) + scopes * (CHILDREN * (CHILDREN - 1) / 2);
    Outcome { taken, operations: scopes * CHILDREN, right: sum == expected, stats: vec![] }
}
