//! The row `quicksort` with rayon: ITEMS CUTOFF WORKERS. The same input, pivot and partition: see
//! bench/quicksort/problem.cpp.

use ramie_bench_peer::{huge_slice, numbers, Row, Splitmix, Stopwatch};

/// The size of the first part; nothing in it is greater than anything in the second.
#[inline(never)]
fn partition(data: &mut [i64]) -> usize {
    let middle = data.len() / 2;
    let last = data.len() - 1;
    if data[middle] < data[0] {
        data.swap(middle, 0);
    }
    if data[last] < data[middle] {
        data.swap(last, middle);
        if data[middle] < data[0] {
            data.swap(middle, 0);
        }
    }
    let pivot = data[middle];
    let (mut low, mut high) = (0, last);
    // SAFETY: the three in order are what both searches stop at, the first time; later, what has been exchanged is.
    unsafe {
        loop {
            low += 1;
            while *data.get_unchecked(low) < pivot {
                low += 1;
            }
            high -= 1;
            while pivot < *data.get_unchecked(high) {
                high -= 1;
            }
            if low >= high {
                return high + 1;
            }
            let (a, b) = (*data.get_unchecked(low), *data.get_unchecked(high));
            *data.get_unchecked_mut(low) = b;
            *data.get_unchecked_mut(high) = a;
        }
    }
}

#[inline(never)]
fn sort_by_insertion(data: &mut [i64]) {
    for i in 1..data.len() {
        let moving = data[i];
        let mut place = i;
        while place > 0 && moving < data[place - 1] {
            data[place] = data[place - 1];
            place -= 1;
        }
        data[place] = moving;
    }
}

fn sort(data: &mut [i64], cutoff: usize) {
    if data.len() <= cutoff {
        return sort_by_insertion(data);
    }
    let at = partition(data);
    let (first, second) = data.split_at_mut(at);
    rayon::join(|| sort(first, cutoff), || sort(second, cutoff));
}

fn main() {
    let [items, cutoff, workers] = numbers(&["ITEMS", "CUTOFF", "WORKERS"]).try_into().unwrap();
    let (items, cutoff) = (items as usize, cutoff as usize);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(workers as usize).build().expect("a pool of threads");

    let mut random = Splitmix(1);
    let input: Vec<i64> = (0..items).map(|_| random.next_u64() as i64).collect();
    let mut expected = input.clone();
    expected.sort_unstable();
    let data = huge_slice(items, || 0);

    pool.broadcast(|_| {});
    // The first time warms the process up.
    data.copy_from_slice(&input);
    pool.install(|| sort(data, cutoff));
    data.copy_from_slice(&input);
    let taken = pool.install(|| {
        let watch = Stopwatch::start();
        sort(data, cutoff);
        watch.stop()
    });

    let verified = *data == *expected;
    if !verified {
        eprintln!("not the sorted input");
    }
    Row {
        suite: "quicksort",
        row: "quicksort",
        runtime: "rayon",
        workers,
        unit: "ns",
        operations: items as u64,
        taken,
        verified,
    }
    .print();
}
