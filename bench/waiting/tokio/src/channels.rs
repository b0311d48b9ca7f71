//! Items through tokio's channels. It has none without a buffer: one with room for one item stands for it.

use crate::{each, Outcome, BOUND, LISTENERS};
use ramie_bench_peer::Stopwatch;
use std::sync::Arc;
use tokio::sync::mpsc::{channel, unbounded_channel, Receiver, Sender};
use tokio::sync::{Barrier, Mutex, Notify};
use tokio::task::JoinSet;

/// What a receiver has seen.
#[derive(Clone, Copy, Default, PartialEq)]
struct Tally {
    count: u64,
    sum: u64,
}

impl Tally {
    fn see(&mut self, item: u64) {
        self.count += 1;
        self.sum += item;
    }
    fn add(&mut self, other: Tally) {
        self.count += other.count;
        self.sum += other.sum;
    }
    /// Of the items 0 to n-1.
    fn of_first(n: u64) -> Tally {
        Tally { count: n, sum: n * (n - 1) / 2 }
    }
}

fn outcome(watch: Stopwatch, operations: u64, seen: Tally) -> Outcome {
    Outcome { taken: watch.stop(), operations, right: seen == Tally::of_first(operations), stats: vec![] }
}

/// An item goes there and comes back.
pub async fn pingpong(operations: u64) -> Outcome {
    let trips = each(operations, 2);
    let (ping, mut pinged) = channel(1);
    let (pong, mut ponged) = channel(1);
    let watch = Stopwatch::start();
    let far_side = tokio::spawn(async move {
        while let Some(item) = pinged.recv().await {
            pong.send(item).await.unwrap();
        }
    });
    let mut seen = Tally::default();
    for i in 0..trips {
        ping.send(i).await.unwrap();
        seen.see(ponged.recv().await.unwrap());
    }
    drop(ping);
    far_side.await.unwrap();
    Outcome { operations: trips * 2, ..outcome(watch, trips, seen) }
}

pub async fn one_to_one(operations: u64) -> Outcome {
    let (sender, mut receiver) = channel(BOUND);
    let watch = Stopwatch::start();
    tokio::spawn(async move {
        for i in 0..operations {
            sender.send(i).await.unwrap();
        }
    });
    let mut seen = Tally::default();
    while let Some(item) = receiver.recv().await {
        seen.see(item);
    }
    outcome(watch, operations, seen)
}

pub async fn unbounded(operations: u64) -> Outcome {
    let (sender, mut receiver) = unbounded_channel();
    let watch = Stopwatch::start();
    tokio::spawn(async move {
        for i in 0..operations {
            sender.send(i).unwrap();
        }
    });
    let mut seen = Tally::default();
    while let Some(item) = receiver.recv().await {
        seen.see(item);
    }
    outcome(watch, operations, seen)
}

/// A receiver of tokio's channel is one task's; several take it in turn.
pub async fn four_to_four(operations: u64) -> Outcome {
    const SIDES: u64 = 4;
    let share = each(operations, SIDES);
    let (sender, receiver) = channel(BOUND);
    let receiver = Arc::new(Mutex::new(receiver));
    let mut receiving = JoinSet::new();
    let watch = Stopwatch::start();
    for side in 0..SIDES {
        let sender = sender.clone();
        tokio::spawn(async move {
            for i in side * share..(side + 1) * share {
                sender.send(i).await.unwrap();
            }
        });
        let receiver = receiver.clone();
        receiving.spawn(async move {
            let mut mine = Tally::default();
            loop {
                let next = receiver.lock().await.recv().await;
                match next {
                    Some(item) => mine.see(item),
                    None => return mine,
                }
            }
        });
    }
    drop(sender);
    let mut seen = Tally::default();
    while let Some(one) = receiving.join_next().await {
        seen.add(one.unwrap());
    }
    outcome(watch, share * SIDES, seen)
}

/// A sender for each of N channels; sender s sends `share` items from s*share on.
fn senders<const N: usize>(share: u64) -> [Receiver<u64>; N] {
    std::array::from_fn(|s| {
        let (sender, receiver) = channel(1);
        let first = s as u64 * share;
        tokio::spawn(async move {
            for i in first..first + share {
                sender.send(i).await.unwrap();
            }
        });
        receiver
    })
}

pub async fn select_2(operations: u64) -> Outcome {
    let share = each(operations, 2);
    let mut seen = Tally::default();
    let watch = Stopwatch::start();
    let [mut a, mut b] = senders(share);
    loop {
        let item = tokio::select! {
            Some(item) = a.recv() => item,
            Some(item) = b.recv() => item,
            else => break,
        };
        seen.see(item);
    }
    outcome(watch, share * 2, seen)
}

pub async fn select_16(operations: u64) -> Outcome {
    let share = each(operations, 16);
    let mut seen = Tally::default();
    let watch = Stopwatch::start();
    let mut receivers = senders(share);
    let [c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15] = &mut receivers;
    loop {
        let item = tokio::select! {
            Some(item) = c0.recv() => item,
            Some(item) = c1.recv() => item,
            Some(item) = c2.recv() => item,
            Some(item) = c3.recv() => item,
            Some(item) = c4.recv() => item,
            Some(item) = c5.recv() => item,
            Some(item) = c6.recv() => item,
            Some(item) = c7.recv() => item,
            Some(item) = c8.recv() => item,
            Some(item) = c9.recv() => item,
            Some(item) = c10.recv() => item,
            Some(item) = c11.recv() => item,
            Some(item) = c12.recv() => item,
            Some(item) = c13.recv() => item,
            Some(item) = c14.recv() => item,
            Some(item) = c15.recv() => item,
            else => break,
        };
        seen.see(item);
    }
    outcome(watch, share * 16, seen)
}

/// Pairs hand an item to each other; each receives by a select over its own channel and the stop that all share. When
/// all have made their trips, they wait for the stop. The wait for the stop is one for all selects of a task: that is
/// cheaper than a new one each time.
pub async fn select_stop(operations: u64) -> Outcome {
    let trips = each(operations, LISTENERS);
    let stop = Arc::new(Notify::new());
    let arrived = Arc::new(Barrier::new(LISTENERS as usize + 1));
    let mut listeners = JoinSet::new();
    let listen = |mut own: Receiver<u64>, other: Sender<u64>, begins: bool| {
        let (stop, arrived) = (stop.clone(), arrived.clone());
        async move {
            let stopped = stop.notified();
            tokio::pin!(stopped);
            let mut mine = Tally::default();
            for i in 0..trips {
                if begins {
                    other.send(i).await.unwrap();
                }
                tokio::select! {
                    Some(item) = own.recv() => {
                        mine.see(item);
                        if !begins {
                            other.send(item).await.unwrap();
                        }
                    }
                    _ = &mut stopped => return false,
                }
            }
            arrived.wait().await;
            let right = tokio::select! {
                Some(_) = own.recv() => false,
                _ = &mut stopped => mine == Tally::of_first(trips),
            };
            drop(other); // not before: its channel would be closed
            right
        }
    };
    let watch = Stopwatch::start();
    for _ in 0..LISTENERS / 2 {
        let ((to_a, a), (to_b, b)) = (channel(1), channel(1));
        listeners.spawn(listen(a, to_b, true));
        listeners.spawn(listen(b, to_a, false));
    }
    arrived.wait().await;
    stop.notify_waiters();
    let mut right = true;
    while let Some(one) = listeners.join_next().await {
        right = one.unwrap() && right;
    }
    Outcome { taken: watch.stop(), operations: trips * LISTENERS, right, stats: vec![] }
}
