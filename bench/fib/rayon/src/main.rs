//! rayon in the suite `fib`: fib_rayon N CUTOFF ITERATIONS WORKERS prints the row as a line of JSON. CUTOFF 0: a join
//! at every node that is not a leaf, and no busy loops.

use ramie_bench_peer::{busy_loop, busy_loop_result, numbers, Row, Stopwatch};
use std::hint::black_box;

struct Tree {
    cutoff: u64,
    iterations: u64,
    leaves_below: Vec<u64>,
}

fn plain_fib(n: u64) -> u64 {
    if n < 2 {
        n
    } else {
        plain_fib(n - 1) + plain_fib(n - 2)
    }
}

/// Value, leaves and checksum.
fn with_cutoff(tree: &Tree, n: u64, first: u64) -> (u64, u64, u64) {
    if n <= tree.cutoff {
        return (plain_fib(n), 1, busy_loop(first, tree.iterations));
    }
    let (a, b) = rayon::join(
        || with_cutoff(tree, n - 1, first),
        || with_cutoff(tree, n - 2, first + tree.leaves_below[n as usize - 1]),
    );
    (a.0 + b.0, a.1 + b.1, a.2.wrapping_add(b.2))
}

/// Value and nodes.
fn without_cutoff(n: u64) -> (u64, u64) {
    if n < 2 {
        return (n, 1);
    }
    let (a, b) = rayon::join(|| without_cutoff(n - 1), || without_cutoff(n - 2));
    (a.0 + b.0, a.1 + b.1 + 1)
}

/// From below, in another way than the recursions.
fn fibonacci(n: u64) -> u64 {
    (0..n).fold((0, 1), |(here, next), _| (next, here + next)).0
}

fn main() {
    let [n, cutoff, iterations, workers] =
        numbers(&["N", "CUTOFF", "ITERATIONS", "WORKERS"]).try_into().unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(workers as usize).build().unwrap();
    // All threads have started before the clock does.
    pool.broadcast(|_| {});
    let row = |row, unit, operations, taken, verified| {
        Row { suite: "fib", row, runtime: "rayon", workers, unit, operations, taken, verified }.print()
    };
    if cutoff == 0 {
        let (taken, found) = pool.install(|| {
            black_box(without_cutoff(n)); // warms the process up
            let watch = Stopwatch::start();
            let found = without_cutoff(n);
            (watch.stop(), found)
        });
        let expected = (fibonacci(n), 2 * fibonacci(n + 1) - 1);
        return row("no_cutoff", "ns", expected.1, taken, found == expected);
    }
    let mut tree = Tree { cutoff, iterations, leaves_below: vec![1; n as usize + 1] };
    for k in cutoff as usize + 1..=n as usize {
        tree.leaves_below[k] = tree.leaves_below[k - 1] + tree.leaves_below[k - 2];
    }
    let (taken, found) = pool.install(|| {
        black_box(with_cutoff(&tree, n, 0)); // warms the process up
        let watch = Stopwatch::start();
        let found = with_cutoff(&tree, n, 0);
        (watch.stop(), found)
    });
    let count = tree.leaves_below[n as usize];
    let checksum = (0..count).fold(0u64, |sum, i| sum.wrapping_add(busy_loop_result(i, iterations)));
    let verified = found == (fibonacci(n), count, checksum);
    row("cutoff20", "us", count, taken, verified);
}
