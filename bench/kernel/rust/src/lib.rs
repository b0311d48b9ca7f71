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
