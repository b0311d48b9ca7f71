//! tokio in the suite `fib`: fib_tokio N CUTOFF ITERATIONS WORKERS prints the row as a line of JSON. CUTOFF 0: a task
//! at every node that is not a leaf, and no busy loops.

use ramie_bench_peer::{busy_loop, busy_loop_result, numbers, Row, Stopwatch};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// A future that contains itself must be boxed.
type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

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
fn with_cutoff(tree: Arc<Tree>, n: u64, first: u64) -> Boxed<(u64, u64, u64)> {
    Box::pin(async move {
        if n <= tree.cutoff {
            return (plain_fib(n), 1, busy_loop(first, tree.iterations));
        }
        let left = tokio::spawn(with_cutoff(tree.clone(), n - 1, first));
        let after = first + tree.leaves_below[n as usize - 1];
        let b = with_cutoff(tree, n - 2, after).await;
        let a = left.await.unwrap();
        (a.0 + b.0, a.1 + b.1, a.2.wrapping_add(b.2))
    })
}

/// Value and nodes.
fn without_cutoff(n: u64) -> Boxed<(u64, u64)> {
    Box::pin(async move {
        if n < 2 {
            return (n, 1);
        }
        let left = tokio::spawn(without_cutoff(n - 1));
        let b = without_cutoff(n - 2).await;
        let a = left.await.unwrap();
        (a.0 + b.0, a.1 + b.1 + 1)
    })
}

/// From below, in another way than the recursions.
fn fibonacci(n: u64) -> u64 {
    (0..n).fold((0, 1), |(here, next), _| (next, here + next)).0
}

fn main() {
    let [n, cutoff, iterations, workers] =
        numbers(&["N", "CUTOFF", "ITERATIONS", "WORKERS"]).try_into().unwrap();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(workers as usize).build().unwrap();
    let row = |row, unit, operations, taken, verified| {
        Row { suite: "fib", row, runtime: "tokio", workers, unit, operations, taken, verified }.print()
    };
    // Spawned, so that the work runs on a worker and not on the thread that waits for it.
    if cutoff == 0 {
        let work = async move {
            without_cutoff(n).await; // warms the process up
            let watch = Stopwatch::start();
            let found = without_cutoff(n).await;
            (watch.stop(), found)
        };
        let (taken, found) = runtime.block_on(async { tokio::spawn(work).await.unwrap() });
        let expected = (fibonacci(n), 2 * fibonacci(n + 1) - 1);
        return row("no_cutoff", "ns", expected.1, taken, found == expected);
    }
    let mut leaves_below = vec![1; n as usize + 1];
    for k in cutoff as usize + 1..=n as usize {
        leaves_below[k] = leaves_below[k - 1] + leaves_below[k - 2];
    }
    let count = leaves_below[n as usize];
    let tree = Arc::new(Tree { cutoff, iterations, leaves_below });
    let work = async move {
        with_cutoff(tree.clone(), n, 0).await; // warms the process up
        let watch = Stopwatch::start();
        let found = with_cutoff(tree, n, 0).await;
        (watch.stop(), found)
    };
    let (taken, found) = runtime.block_on(async { tokio::spawn(work).await.unwrap() });
    let checksum = (0..count).fold(0u64, |sum, i| sum.wrapping_add(busy_loop_result(i, iterations)));
    let verified = found == (fibonacci(n), count, checksum);
    row("cutoff20", "us", count, taken, verified);
}
