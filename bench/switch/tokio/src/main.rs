//! tokio in the suite `switch`: main ROW OPERATIONS WORKERS [current_thread] prints one row as a line of JSON.

use std::process::exit;
use std::time::{Duration, Instant};

/// Two tasks hand the worker to each other.
async fn yields(operations: u64) -> (Duration, u64) {
    let start = Instant::now();
    let tasks: Vec<_> = (0..2u64)
        .map(|who| {
            tokio::spawn(async move {
                let mut mine = 0;
                let mut i = who;
                while i < operations {
                    tokio::task::yield_now().await;
                    mine += 1;
                    i += 2;
                }
                mine
            })
        })
        .collect();
    let mut seen = 0;
    for task in tasks {
        seen += task.await.unwrap();
    }
    (start.elapsed(), seen)
}

/// A task that yields once, started and waited for.
async fn spawn_join(operations: u64) -> (Duration, u64) {
    let mut seen = 0;
    let start = Instant::now();
    for _ in 0..operations {
        seen += tokio::spawn(async {
            tokio::task::yield_now().await;
            1
        })
        .await
        .unwrap();
    }
    (start.elapsed(), seen)
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let usage = || -> ! {
        eprintln!("usage: switch_tokio yield|spawn_join OPERATIONS WORKERS [current_thread]");
        exit(2)
    };
    if arguments.len() < 4 {
        usage();
    }
    let row = arguments[1].clone();
    let operations: u64 = arguments[2].parse().unwrap_or_else(|_| usage());
    let workers: usize = arguments[3].parse().unwrap_or_else(|_| usage());
    let current_thread = arguments.get(4).map(String::as_str) == Some("current_thread");

    let runtime = if current_thread {
        tokio::runtime::Builder::new_current_thread().build().unwrap()
    } else {
        tokio::runtime::Builder::new_multi_thread().worker_threads(workers).build().unwrap()
    };
    // Spawned, so that the work runs on a worker and not on the thread that waits for it.
    let work = async move {
        match row.as_str() {
            "yield" => (yields(operations).await, row),
            "spawn_join" => (spawn_join(operations).await, row),
            _ => {
                eprintln!("no such row: {row}");
                exit(2)
            }
        }
    };
    let ((took, seen), row) = runtime.block_on(async { tokio::spawn(work).await.unwrap() });

    let value = took.as_nanos() as f64 / operations as f64;
    let name = if current_thread { "tokio_current_thread" } else { "tokio" };
    println!(
        "{{\"suite\":\"switch\",\"row\":\"{row}\",\"runtime\":\"{name}\",\"workers\":{workers},\"queue\":\"\",\
         \"unit\":\"ns\",\"median\":{value},\"min\":{value},\"max\":{value},\"runs\":1,\"verified\":{},\"stats\":{{}}}}",
        seen == operations
    );
}
