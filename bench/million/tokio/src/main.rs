//! tokio in the suite `million`: main N WORKERS [current_thread] prints three rows, one line of JSON each.
//! N tasks block on one semaphore, which is then closed; twice.

use std::process::exit;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::{Notify, Semaphore};

fn resident_bytes() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    // 4096: the page size of every machine that this program is built for.
    text.split_whitespace().nth(1).and_then(|pages| pages.parse::<f64>().ok()).unwrap_or(0.0) * 4096.0
}

fn page_table_bytes() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    text.lines()
        .find_map(|line| line.strip_prefix("VmPTE:"))
        .and_then(|rest| rest.split_whitespace().next())
        .and_then(|kilobytes| kilobytes.parse::<f64>().ok())
        .unwrap_or(0.0)
        * 1024.0
}

/// A countdown that one task waits for.
struct Countdown {
    left: AtomicUsize,
    zero: Notify,
}

impl Countdown {
    fn new(count: usize) -> Self {
        Countdown { left: AtomicUsize::new(count), zero: Notify::new() }
    }
    fn done(&self) {
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.zero.notify_one();
        }
    }
}

struct Shared {
    marks: Arc<Vec<AtomicU32>>,
    arrived: Countdown,
    finished: Countdown,
    gate: Semaphore,
}

async fn wave(marks: Arc<Vec<AtomicU32>>, number: u32) -> (f64, f64, f64) {
    let n = marks.len();
    let start = Instant::now();
    let shared = Arc::new(Shared {
        marks,
        arrived: Countdown::new(n),
        finished: Countdown::new(n),
        gate: Semaphore::new(0),
    });
    for id in 0..n {
        let shared = shared.clone();
        tokio::spawn(async move {
            shared.arrived.done();
            let _closed = shared.gate.acquire().await;
            shared.marks[id].store(id as u32 + number, Ordering::Relaxed);
            shared.finished.done();
        });
    }
    shared.arrived.zero.notified().await;
    let before = start.elapsed();
    let (resident, tables) = (resident_bytes(), page_table_bytes());
    let start = Instant::now();
    shared.gate.close();
    shared.finished.zero.notified().await;
    ((before + start.elapsed()).as_secs_f64(), resident, tables)
}

fn verified(marks: &[AtomicU32], number: u32) -> bool {
    marks.iter().enumerate().all(|(id, mark)| mark.load(Ordering::Relaxed) == id as u32 + number)
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let usage = || -> ! {
        eprintln!("usage: million_tokio N WORKERS [current_thread]");
        exit(2)
    };
    if arguments.len() < 3 {
        usage();
    }
    let n: usize = arguments[1].parse().unwrap_or_else(|_| usage());
    let workers: usize = arguments[2].parse().unwrap_or_else(|_| usage());
    let current_thread = arguments.get(3).map(String::as_str) == Some("current_thread");
    let name = if current_thread { "tokio_current_thread" } else { "tokio" };

    let runtime = if current_thread {
        tokio::runtime::Builder::new_current_thread().build().unwrap()
    } else {
        tokio::runtime::Builder::new_multi_thread().worker_threads(workers).build().unwrap()
    };
    let marks: Arc<Vec<AtomicU32>> = Arc::new((0..n).map(|_| AtomicU32::new(u32::MAX)).collect());
    let (resident, tables) = (resident_bytes(), page_table_bytes());

    let all = marks.clone();
    let (first, second) = runtime.block_on(async {
        tokio::spawn(async move {
            let (seconds, resident, tables) = wave(all.clone(), 1).await;
            let first = (seconds, resident, tables, verified(&all, 1));
            let (seconds, _, _) = wave(all.clone(), 2).await;
            (first, (seconds, verified(&all, 2)))
        })
        .await
        .unwrap()
    });

    let tables_each = (first.2 - tables) / n as f64;
    let row = |row: &str, unit: &str, value: f64, right: bool| {
        println!(
            "{{\"suite\":\"million\",\"row\":\"{row}\",\"runtime\":\"{name}\",\"workers\":{workers},\"queue\":\"\",\
             \"unit\":\"{unit}\",\"median\":{value},\"min\":{value},\"max\":{value},\"runs\":1,\"verified\":{right},\
             \"stats\":{{\"n\":{n},\"page_table_bytes_each\":{tables_each}}}}}"
        );
    };
    row("first_wave", "s", first.0, first.3);
    row("second_wave", "s", second.0, second.1);
    row("bytes_each", "bytes", (first.1 - resident) / n as f64, first.3);
}
