//! The rows `mergesort` and `mergesort_parallel_merge` with rayon: ITEMS CUTOFF MERGE_GRAIN PARALLEL_MERGE (0 or 1)
//! WORKERS. The same input and kernels: see bench/mergesort/problem.cpp.

mod kernels;

use kernels::{merge, sort_leaf, split_at};
use ramie_bench_peer::{huge_slice, numbers, Row, Splitmix, Stopwatch};

#[derive(Clone, Copy)]
struct Options {
    cutoff: usize,
    merge_grain: usize,
    parallel_merge: bool,
}

fn merge_all(a: &[u32], b: &[u32], out: &mut [u32], grain: usize) {
    if out.len() <= grain {
        return merge(a, b, out);
    }
    let middle = out.len() / 2;
    let from_a = split_at(a, b, middle);
    let (a1, a2) = a.split_at(from_a);
    let (b1, b2) = b.split_at(middle - from_a);
    let (out1, out2) = out.split_at_mut(middle);
    rayon::join(|| merge_all(a1, b1, out1, grain), || merge_all(a2, b2, out2, grain));
}

/// The result lies in `data`, or in `buffer`; levels take turns, so nothing is copied back.
fn sort(data: &mut [u32], buffer: &mut [u32], into_buffer: bool, how: &Options) {
    if data.len() <= how.cutoff {
        return sort_leaf(data, buffer, into_buffer);
    }
    let middle = data.len() / 2;
    {
        let (data1, data2) = data.split_at_mut(middle);
        let (buffer1, buffer2) = buffer.split_at_mut(middle);
        rayon::join(|| sort(data1, buffer1, !into_buffer, how), || sort(data2, buffer2, !into_buffer, how));
    }
    let (from, to) = if into_buffer { (data, buffer) } else { (buffer, data) };
    let (a, b) = from.split_at(middle);
    if how.parallel_merge {
        merge_all(a, b, to, how.merge_grain);
    } else {
        merge(a, b, to);
    }
}

fn main() {
    let arguments = numbers(&["ITEMS", "CUTOFF", "MERGE_GRAIN", "PARALLEL_MERGE", "WORKERS"]);
    let items = arguments[0] as usize;
    let how = Options {
        cutoff: arguments[1] as usize,
        merge_grain: arguments[2] as usize,
        parallel_merge: arguments[3] != 0,
    };
    let workers = arguments[4];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(workers as usize).build().expect("a pool of threads");

    let mut random = Splitmix(1);
    let input: Vec<u32> = (0..items).map(|_| random.next_u32()).collect();
    let mut expected = input.clone();
    expected.sort_unstable();
    let data = huge_slice(items, || 0);
    let buffer = huge_slice(items, || 0);

    pool.broadcast(|_| {});
    // The first time warms the process up.
    data.copy_from_slice(&input);
    pool.install(|| sort(data, buffer, false, &how));
    data.copy_from_slice(&input);
    let taken = pool.install(|| {
        let watch = Stopwatch::start();
        sort(data, buffer, false, &how);
        watch.stop()
    });

    let verified = *data == *expected;
    if !verified {
        eprintln!("not the sorted input");
    }
    Row {
        suite: "mergesort",
        row: if how.parallel_merge { "mergesort_parallel_merge" } else { "mergesort" },
        runtime: "rayon",
        workers,
        unit: "ns",
        operations: items as u64,
        taken,
        verified,
    }
    .print();
}
