//! The common part of the Rust programs of the benchmarks: arguments, the busy loop, the clock, the line of JSON.

use std::alloc::{alloc, handle_alloc_error, Layout};
use std::arch::asm;
use std::mem::{size_of, MaybeUninit};
use std::process::exit;
use std::time::Instant;

const MULTIPLIER: u64 = 6364136223846793005;
const INCREMENT: u64 = 1442695040888963407;

/// The loop of bench/kernel/busy_loop.hpp.
#[inline(never)]
pub fn busy_loop(seed: u64, iterations: u64) -> u64 {
    let mut x = seed;
    for _ in 0..iterations {
        x = x.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT);
        // Opaque, as there, and in a register: black_box would store and load it.
        // SAFETY: no instruction.
        unsafe { asm!("/* {0} */", inout(reg) x, options(nomem, nostack, preserves_flags)) };
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

/// struct rusage of Linux.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Usage {
    user: [i64; 2], // seconds, microseconds
    system: [i64; 2],
    sizes_to_signals: [i64; 12],
    voluntary_switches: i64,
    involuntary_switches: i64,
}

extern "C" {
    fn getrusage(who: i32, usage: *mut Usage) -> i32;
    fn madvise(address: *mut std::ffi::c_void, length: usize, advice: i32) -> i32;
}

impl Usage {
    /// Of this process, all threads.
    fn now() -> Usage {
        const RUSAGE_SELF: i32 = 0;
        let mut usage = Usage::default();
        // SAFETY: it has the layout that the call fills.
        assert_eq!(unsafe { getrusage(RUSAGE_SELF, &mut usage) }, 0);
        usage
    }

    fn cpu_seconds(&self) -> f64 {
        (self.user[0] + self.system[0]) as f64 + (self.user[1] + self.system[1]) as f64 * 1e-6
    }
}

/// The clock around the timed part, and what that part costs the process besides time.
pub struct Stopwatch {
    start: Instant,
    usage: Usage,
}

/// The reading of a stopwatch: seconds, and the rest as in bench/framework/usage.hpp.
#[derive(Clone, Copy)]
pub struct Taken {
    pub seconds: f64,
    pub cpu_s: f64,
    pub voluntary_switches: i64,
}

impl Stopwatch {
    pub fn start() -> Stopwatch {
        let usage = Usage::now();
        Stopwatch { start: Instant::now(), usage }
    }

    pub fn stop(&self) -> Taken {
        let seconds = self.start.elapsed().as_secs_f64();
        let now = Usage::now();
        Taken {
            seconds,
            cpu_s: now.cpu_seconds() - self.usage.cpu_seconds(),
            voluntary_switches: now.voluntary_switches - self.usage.voluntary_switches,
        }
    }
}

/// One figure of one repetition.
pub struct Row<'a> {
    pub suite: &'a str,
    pub row: &'a str,
    pub runtime: &'a str,
    pub workers: u64,
    pub unit: &'a str,
    /// The value is the time divided by the operations; with the unit "1/us" it is the other way round.
    pub operations: u64,
    pub taken: Taken,
    pub verified: bool,
}

impl Row<'_> {
    /// Writes the line of JSON that bench/framework/child.hpp reads.
    pub fn print(&self) {
        let Row { suite, row, runtime, workers, unit, operations, taken, verified } = self;
        let in_a_second = match *unit {
            "us" => 1e6,
            "ns" => 1e9,
            _ => 1.0,
        };
        let value = match *unit {
            "1/us" => *operations as f64 / (taken.seconds * 1e6),
            _ => taken.seconds * in_a_second / *operations as f64,
        };
        let Taken { cpu_s, voluntary_switches, .. } = taken;
        println!(
            "{{\"suite\":\"{suite}\",\"row\":\"{row}\",\"runtime\":\"{runtime}\",\"workers\":{workers},\"queue\":\"\",\
             \"unit\":\"{unit}\",\"median\":{value},\"min\":{value},\"max\":{value},\"runs\":1,\
             \"verified\":{verified},\"stats\":{{\"cpu_s\":{cpu_s},\"voluntary_switches\":{voluntary_switches}}}}}"
        );
    }
}

/// The generator of bench/kernel/splitmix.hpp.
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

/// `count` values, in huge pages where the kernel has some, as bench/kernel/huge_array.hpp. Never freed: it is for the
/// whole of a program. `T` needs no drop.
pub fn huge_slice<T>(count: usize, value: impl Fn() -> T) -> &'static mut [T] {
    const MADV_HUGEPAGE: i32 = 14;
    const HUGE_PAGE: usize = 2 << 20;
    let bytes = count * size_of::<T>();
    let alignment = if bytes >= HUGE_PAGE { HUGE_PAGE } else { 64 };
    let layout = Layout::from_size_align(bytes.max(1).next_multiple_of(alignment), alignment).unwrap();
    // SAFETY: memory for `count` values, suitably aligned, and nobody else's; the advice does not change what is in it,
    // and it is a wish: it may fail.
    let places = unsafe {
        let memory = alloc(layout);
        if memory.is_null() {
            handle_alloc_error(layout);
        }
        if alignment == HUGE_PAGE {
            madvise(memory.cast(), layout.size(), MADV_HUGEPAGE);
        }
        std::slice::from_raw_parts_mut(memory.cast::<MaybeUninit<T>>(), count)
    };
    for place in places.iter_mut() {
        place.write(value());
    }
    // SAFETY: all have been written.
    unsafe { &mut *(places as *mut [MaybeUninit<T>] as *mut [T]) }
}
