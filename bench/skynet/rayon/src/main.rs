//! rayon in the suite `skynet`: skynet_rayon LEAVES WORKERS prints the row as a line of JSON.

use ramie_bench_peer::{numbers, Row, Stopwatch};
use std::hint::black_box;

const CHILDREN: u64 = 10;

fn node(first: u64, leaves: u64) -> (u64, u64) {
    if leaves == 1 {
        return (first, 1);
    }
    siblings(first, leaves / CHILDREN, CHILDREN)
}

/// The first of them beside the others: twice as fast as a parallel iterator over ten.
fn siblings(first: u64, each: u64, count: u64) -> (u64, u64) {
    if count == 1 {
        return node(first, each);
    }
    let (a, b) = rayon::join(|| node(first, each), || siblings(first + each, each, count - 1));
    (a.0 + b.0, a.1 + b.1)
}

fn main() {
    let [leaves, workers] = numbers(&["LEAVES", "WORKERS"]).try_into().unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(workers as usize).build().unwrap();
    // All threads have started before the clock does.
    pool.broadcast(|_| {});
    let (taken, found) = pool.install(|| {
        black_box(node(0, leaves)); // warms the process up
        let watch = Stopwatch::start();
        let found = node(0, leaves);
        (watch.stop(), found)
    });
    let verified = found == (leaves * (leaves - 1) / 2, leaves);
    Row { suite: "skynet", row: "skynet", runtime: "rayon", workers, unit: "ns", operations: leaves, taken, verified }
        .print();
}
