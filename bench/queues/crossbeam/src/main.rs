//! The rows `push_pop`, `push_pop_depth1`, and `push_pop_thief` with `steals`, with the LIFO worker of crossbeam-deque:
//! WHAT (0, 1, 2) MILLISECONDS. The same work as bench/queues/encounter.hpp.

use crossbeam_deque::{Steal, Stealer, Worker};
use ramie_bench_peer::{numbers, Row, Stopwatch, Taken};
use std::arch::asm;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::Barrier;
use std::time::{Duration, Instant};

const CAPACITY: usize = 1024;

/// Each operation by itself, as there: no compiler merges it with the next.
#[inline(always)]
fn apart() {
    // SAFETY: no instruction; it may read and write memory, for all that the compiler knows.
    unsafe { asm!("", options(nostack, preserves_flags)) };
}

#[derive(Default)]
struct Tally {
    pushed: u64,
    pushed_sum: u64,
    taken: u64,
    taken_sum: u64,
}

#[inline(always)]
fn fill(queue: &Worker<u64>, tally: &mut Tally) {
    let mut next = tally.pushed;
    for _ in 0..CAPACITY {
        apart();
        queue.push(next);
        tally.pushed_sum = tally.pushed_sum.wrapping_add(next);
        next += 1;
    }
    tally.pushed = next;
}

#[inline(always)]
fn drain(queue: &Worker<u64>, tally: &mut Tally) {
    loop {
        apart();
        let Some(item) = queue.pop() else { break };
        tally.taken += 1;
        tally.taken_sum = tally.taken_sum.wrapping_add(item);
    }
}

#[inline(never)]
fn fill_and_drain(queue: &Worker<u64>, rounds: u32, end: Instant) -> Tally {
    let mut tally = Tally::default();
    loop {
        for _ in 0..rounds {
            fill(queue, &mut tally);
            drain(queue, &mut tally);
        }
        if Instant::now() >= end {
            return tally;
        }
    }
}

#[inline(never)]
fn one_at_a_time(queue: &Worker<u64>, end: Instant) -> Tally {
    let mut tally = Tally::default();
    loop {
        for _ in 0..CAPACITY {
            apart();
            queue.push(tally.pushed);
            tally.pushed_sum = tally.pushed_sum.wrapping_add(tally.pushed);
            tally.pushed += 1;
            apart();
            if let Some(item) = queue.pop() {
                tally.taken += 1;
                tally.taken_sum = tally.taken_sum.wrapping_add(item);
            }
        }
        if Instant::now() >= end {
            return tally;
        }
    }
}

#[inline(never)]
fn steal_until(stop: &AtomicBool, queue: &Stealer<u64>) -> Tally {
    let mut tally = Tally::default();
    while !stop.load(Relaxed) {
        if let Steal::Success(item) = queue.steal() {
            tally.taken += 1;
            tally.taken_sum = tally.taken_sum.wrapping_add(item);
        }
    }
    tally
}

fn main() {
    let [what, milliseconds] = numbers(&["WHAT", "MILLISECONDS"]).try_into().unwrap();
    let thieves: usize = if what == 2 { 1 } else { 0 };
    let duration = Duration::from_millis(milliseconds);
    let queue = black_box(Worker::<u64>::new_lifo());
    let stop = AtomicBool::new(false);
    let all_here = Barrier::new(thieves + 1);

    let (owner, thief, taken): (Tally, Tally, Taken) = std::thread::scope(|scope| {
        let running: Vec<_> = (0..thieves)
            .map(|_| {
                let stealer = queue.stealer();
                let (stop, all_here) = (&stop, &all_here);
                scope.spawn(move || {
                    all_here.wait();
                    steal_until(stop, &stealer)
                })
            })
            .collect();
        all_here.wait();
        let watch = Stopwatch::start();
        let end = Instant::now() + duration;
        let queue = black_box(&queue);
        let owner = match what {
            1 => one_at_a_time(queue, end),
            _ => fill_and_drain(queue, if thieves == 0 { 4 } else { 1 }, end),
        };
        let taken = watch.stop();
        stop.store(true, Relaxed);
        let mut thief = Tally::default();
        for each in running {
            let one = each.join().unwrap();
            thief.taken += one.taken;
            thief.taken_sum = thief.taken_sum.wrapping_add(one.taken_sum);
        }
        (owner, thief, taken)
    });

    let (mut left, mut left_sum) = (0, 0u64);
    while let Some(item) = queue.pop() {
        left += 1;
        left_sum = left_sum.wrapping_add(item);
    }
    let all = owner.taken + thief.taken + left;
    let all_sum = owner.taken_sum.wrapping_add(thief.taken_sum).wrapping_add(left_sum);
    let verified = owner.pushed == all && owner.pushed_sum == all_sum;
    if !verified {
        eprintln!("{} pushed, but {} popped + {} stolen + {left} left", owner.pushed, owner.taken, thief.taken);
    }
    let row = |row, unit, operations| Row {
        suite: "queues",
        row,
        runtime: "crossbeam",
        workers: thieves as u64 + 1,
        unit,
        operations,
        taken,
        verified,
    };
    let pairs = (owner.pushed + owner.taken) / 2;
    match what {
        0 => row("push_pop", "ns", pairs).print(),
        1 => row("push_pop_depth1", "ns", pairs).print(),
        _ => {
            row("push_pop_thief", "ns", pairs).print();
            row("steals", "1/us", thief.taken).print();
        }
    }
}
