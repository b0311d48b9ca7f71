//! What the Rust programs of the benchmarks share: arguments, the busy loop, the line of JSON.

use std::hint::black_box;
use std::process::exit;

const MULTIPLIER: u64 = 6364136223846793005;
const INCREMENT: u64 = 1442695040888963407;

/// That of bench/kernel/busy_loop.hpp.
#[inline(never)]
pub fn busy_loop(seed: u64, iterations: u64) -> u64 {
    let mut x = seed;
    for _ in 0..iterations {
        x = black_box(x.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT));
    }
    x
}

/// The same number in about 64 steps.
pub fn busy_loop_result(seed: u64, mut iterations: u64) -> u64 {
    let (mut a, mut c, mut x) = (MULTIPLIER, INCREMENT, seed);
    while iterations != 0 {
        if iterations & 1 != 0 {
            x = a.wrapping_mul(x).wrapping_add(c);
        }
        c = a.wrapping_add(1).wrapping_mul(c);
        a = a.wrapping_mul(a);
        iterations >>= 1;
    }
    x
}

/// The whole numbers of the command line, one for each of `names`; otherwise says how to call the program, and ends it.
pub fn numbers(names: &[&str]) -> Vec<u64> {
    let arguments: Vec<String> = std::env::args().collect();
    let numbers: Vec<u64> = arguments[1..].iter().filter_map(|a| a.parse().ok()).collect();
    if numbers.len() != names.len() || arguments.len() - 1 != names.len() {
        eprintln!("usage: {} {} (whole numbers)", arguments[0], names.join(" "));
        exit(2);
    }
    numbers
}

/// One figure of one repetition.
pub struct Row<'a> {
    pub suite: &'a str,
    pub row: &'a str,
    pub runtime: &'a str,
    pub workers: u64,
    pub unit: &'a str,
    pub value: f64,
    pub verified: bool,
}

impl Row<'_> {
    /// Writes the line of JSON that bench/framework/child.hpp reads.
    pub fn print(&self) {
        let Row { suite, row, runtime, workers, unit, value, verified } = self;
        println!(
            "{{\"suite\":\"{suite}\",\"row\":\"{row}\",\"runtime\":\"{runtime}\",\"workers\":{workers},\"queue\":\"\",\
             \"unit\":\"{unit}\",\"median\":{value},\"min\":{value},\"max\":{value},\"runs\":1,\
             \"verified\":{verified},\"stats\":{{}}}}"
        );
    }
}

/// That of bench/kernel/splitmix.hpp.
pub struct Splitmix(pub u64);

impl Splitmix {
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E3779B97F4A7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58476D1CE4E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D049BB133111EB);
        z ^ (z >> 31)
    }

    pub fn next_u32(&mut self) -> u32 {
        (self.next_u64() >> 32) as u32
    }

    /// In 0..bound.
    pub fn below(&mut self, bound: u32) -> u32 {
        ((u64::from(self.next_u32()) * u64::from(bound)) >> 32) as u32
    }
}

extern "C" {
    fn madvise(address: *mut std::ffi::c_void, length: usize, advice: i32) -> i32;
}

/// A vector of `count` values, in huge pages where the kernel has some, as bench/kernel/huge_array.hpp.
pub fn huge_vec<T>(count: usize, value: impl Fn() -> T) -> Vec<T> {
    const MADV_HUGEPAGE: i32 = 14;
    const PAGE: usize = 4096;
    let mut made: Vec<T> = Vec::with_capacity(count);
    let start = (made.as_mut_ptr() as usize).next_multiple_of(PAGE);
    let end = (made.as_mut_ptr() as usize + count * std::mem::size_of::<T>()) / PAGE * PAGE;
    // SAFETY: whole pages of this allocation, whose contents the advice does not change. It is a wish: it may fail.
    if end > start {
        unsafe { madvise(start as *mut std::ffi::c_void, end - start, MADV_HUGEPAGE) };
    }
    made.resize_with(count, value);
    made
}
