//! The rows of the suite `sort` with rayon: TASK (by its number in bench/sort/problem.hpp) ITEMS WORKERS. The same
//! inputs; par_sort_unstable, and par_sort_by_key for the stable one.

use ramie_bench_peer::{huge_slice, numbers, Row, Splitmix, Stopwatch};
use rayon::prelude::*;

const ROWS: [&str; 7] = [
    "sort",
    "sort_sorted",
    "sort_reversed",
    "sort_few_distinct",
    "sort_organ_pipe",
    "sort_by_function",
    "stable_sort",
];

fn item_at(task: u64, i: usize, items: usize, random: &mut Splitmix) -> i64 {
    match task {
        0 | 5 => random.next_u64() as i64,
        1 => i as i64,
        2 => (items - i) as i64,
        3 => random.below(16) as i64,
        4 => (if i < items / 2 { i } else { items - i }) as i64,
        _ => (random.below((items / 4 + 1) as u32) as i64) << 32 | i as i64,
    }
}

fn sort(task: u64, items: &mut [i64]) {
    match task {
        5 => items.par_sort_unstable_by(|a, b| a.cmp(b)),
        6 => items.par_sort_by_key(|x| x >> 32),
        _ => items.par_sort_unstable(),
    }
}

fn main() {
    let arguments = numbers(&["TASK", "ITEMS", "WORKERS"]);
    let (task, count, workers) = (arguments[0], arguments[1] as usize, arguments[2]);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(workers as usize)
        .build()
        .expect("a pool of threads");

    let mut random = Splitmix(1);
    let input: Vec<i64> = (0..count)
        .map(|i| item_at(task, i, count, &mut random))
        .collect();
    let mut expected = input.clone();
    expected.sort_unstable();
    let items = huge_slice(count, || 0i64);

    pool.broadcast(|_| {});
    // The first time warms the process up.
    items.copy_from_slice(&input);
    pool.install(|| sort(task, items));
    items.copy_from_slice(&input);
    let taken = pool.install(|| {
        let watch = Stopwatch::start();
        sort(task, items);
        watch.stop()
    });

    let verified = *items == *expected;
    if !verified {
        eprintln!("not the sorted input");
    }
    Row {
        suite: "sort",
        row: ROWS[task as usize],
        runtime: "rayon",
        workers,
        unit: "ns",
        operations: count as u64,
        taken,
        verified,
    }
    .print();
}
