//! crossbeam-channel in the suite `waiting`, between threads: main ROW OPERATIONS WORKERS prints one row as a line of JSON.
//! All threads share WORKERS CPUs.

use crossbeam_channel::{bounded, unbounded, Receiver, Sender};
use ramie_bench_peer::{Row, Stopwatch, Taken};
use std::process::exit;

const BOUND: usize = 1000;

extern "C" {
    fn sched_getaffinity(thread: i32, bytes: usize, cpus: *mut u64) -> i32;
    fn sched_setaffinity(thread: i32, bytes: usize, cpus: *const u64) -> i32;
}

/// Keeps this thread, and those that it starts, on the first `count` CPUs that it may use.
fn use_cpus(count: u64) {
    let mut cpus = [0u64; 128];
    // SAFETY: it writes no more than the bytes it is told.
    assert_eq!(unsafe { sched_getaffinity(0, std::mem::size_of_val(&cpus), cpus.as_mut_ptr()) }, 0);
    let mut left = count;
    for word in cpus.iter_mut() {
        for bit in 0..64 {
            if *word & (1 << bit) != 0 {
                if left == 0 {
                    *word &= !(1 << bit);
                } else {
                    left -= 1;
                }
            }
        }
    }
    // SAFETY: it reads no more than the bytes it is told.
    assert_eq!(unsafe { sched_setaffinity(0, std::mem::size_of_val(&cpus), cpus.as_ptr()) }, 0);
}

/// `sides` senders and as many receivers; the count and the sum of what was received.
fn many(share: u64, sides: u64, (sender, receiver): (Sender<u64>, Receiver<u64>)) -> (Taken, u64, u64) {
    let watch = Stopwatch::start();
    let mut receiving = Vec::new();
    for side in 0..sides {
        let sender = sender.clone();
        std::thread::spawn(move || {
            for i in side * share..(side + 1) * share {
                sender.send(i).unwrap();
            }
        });
        let receiver = receiver.clone();
        receiving.push(std::thread::spawn(move || receiver.iter().fold((0, 0), |(n, sum), item| (n + 1, sum + item))));
    }
    drop(sender);
    let (count, sum) = receiving.into_iter().map(|r| r.join().unwrap()).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    (watch.stop(), count, sum)
}

/// An item goes there and comes back.
fn pingpong(trips: u64) -> (Taken, u64, u64) {
    let (ping, pinged) = bounded(0);
    let (pong, ponged) = bounded(0);
    let watch = Stopwatch::start();
    let far_side = std::thread::spawn(move || {
        for item in pinged {
            pong.send(item).unwrap();
        }
    });
    let (mut count, mut sum) = (0, 0);
    for i in 0..trips {
        ping.send(i).unwrap();
        sum += ponged.recv().unwrap();
        count += 1;
    }
    drop(ping);
    far_side.join().unwrap();
    (watch.stop(), count, sum)
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let usage = || -> ! {
        eprintln!("usage: waiting_crossbeam ROW OPERATIONS WORKERS");
        exit(2)
    };
    if arguments.len() != 4 {
        usage();
    }
    let row = arguments[1].as_str();
    let operations: u64 = arguments[2].parse().unwrap_or_else(|_| usage());
    let workers: u64 = arguments[3].parse().unwrap_or_else(|_| usage());
    if operations == 0 || workers == 0 {
        usage();
    }
    use_cpus(workers);
    let share = (operations + 3) / 4;
    // An item makes two of the operations of a ping-pong.
    let (items, each, (taken, count, sum)) = match row {
        "channel_pingpong" => ((operations + 1) / 2, 2, pingpong((operations + 1) / 2)),
        "channel_1_1" => (operations, 1, many(operations, 1, bounded(BOUND))),
        "channel_4_4" => (share * 4, 1, many(share, 4, bounded(BOUND))),
        "channel_unbounded_1_1" => (operations, 1, many(operations, 1, unbounded())),
        _ => usage(),
    };
    Row {
        suite: "waiting",
        row,
        runtime: "crossbeam",
        workers,
        unit: "ns",
        operations: items * each,
        taken,
        verified: count == items && sum == items * (items - 1) / 2,
    }
    .print();
}
