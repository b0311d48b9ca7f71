//! The row `bfs` with rayon: NODES DEGREE GRAIN WORKERS. The same graph, the same kernel: see bench/bfs/problem.cpp.

use ramie_bench_peer::{huge_slice, numbers, Row, Splitmix, Stopwatch};
use rayon::prelude::*;
use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
use std::sync::atomic::{AtomicU32, AtomicU8, AtomicUsize, Ordering::Relaxed};

const UNREACHED: u8 = 255;
const EDGES_AHEAD: usize = 16;
const FIRST_AHEAD: usize = 32;

struct Graph {
    first: &'static [u32],
    targets: &'static [u32],
}

fn random_graph(nodes: u32, degree: u32) -> Graph {
    let first = huge_slice(nodes as usize + 1, || 0);
    for (v, place) in first.iter_mut().enumerate() {
        *place = v as u32 * degree;
    }
    let mut random = Splitmix(1);
    let targets = huge_slice(nodes as usize * degree as usize, || 0);
    for target in targets.iter_mut() {
        *target = random.below(nodes);
    }
    Graph { first, targets }
}

/// Distances from node 0 by a queue: what the result is compared with; and the edges of the nodes that were reached.
fn search_with_queue(graph: &Graph) -> (Vec<u8>, u64) {
    let nodes = graph.first.len() - 1;
    let mut distances = vec![UNREACHED; nodes];
    let mut queue = Vec::with_capacity(nodes);
    distances[0] = 0;
    queue.push(0u32);
    let (mut i, mut edges) = (0, 0);
    while i < queue.len() {
        let v = queue[i] as usize;
        i += 1;
        let next = distances[v] + 1;
        assert!(next != UNREACHED, "a distance above 254 does not fit in a byte");
        let of_v = graph.first[v] as usize..graph.first[v + 1] as usize;
        edges += of_v.len() as u64;
        for &u in &graph.targets[of_v] {
            if distances[u as usize] == UNREACHED {
                distances[u as usize] = next;
                queue.push(u);
            }
        }
    }
    (distances, edges)
}

fn prefetch<T>(at: &T) {
    // SAFETY: a prefetch of an address that exists.
    unsafe { _mm_prefetch((at as *const T).cast(), _MM_HINT_T0) };
}

/// The next frontier, filled by all at once: each takes a range by an atomic addition.
struct Next {
    nodes: &'static mut [AtomicU32],
    count: AtomicUsize,
}

impl Next {
    fn publish(&self, found: &[u32]) {
        let place = self.count.fetch_add(found.len(), Relaxed);
        for (to, &v) in self.nodes[place..].iter().zip(found) {
            to.store(v, Relaxed);
        }
    }
}

#[inline(never)]
fn expand(
    graph: &Graph,
    frontier: &[AtomicU32],
    slice: std::ops::Range<usize>,
    distances: &[AtomicU8],
    level: u8,
    next: &Next,
) {
    let mut found = [0u32; 512];
    let mut count = 0;
    for i in slice {
        // SAFETY: i is in the frontier, its nodes and the targets are below the number of nodes, and `first` has one
        // more; the buffer is emptied when it is full.
        unsafe {
            let node = |i: usize| frontier.get_unchecked(i).load(Relaxed) as usize;
            if i + FIRST_AHEAD < frontier.len() {
                prefetch(graph.first.get_unchecked(node(i + FIRST_AHEAD)));
            }
            if i + EDGES_AHEAD < frontier.len() {
                let ahead = *graph.first.get_unchecked(node(i + EDGES_AHEAD)) as usize;
                _mm_prefetch(graph.targets.as_ptr().wrapping_add(ahead).cast(), _MM_HINT_T0);
            }
            let v = node(i);
            let edges = *graph.first.get_unchecked(v) as usize..*graph.first.get_unchecked(v + 1) as usize;
            for &u in graph.targets.get_unchecked(edges) {
                let distance = distances.get_unchecked(u as usize);
                if distance.load(Relaxed) != UNREACHED || distance.swap(level, Relaxed) != UNREACHED {
                    continue;
                }
                *found.get_unchecked_mut(count) = u;
                count += 1;
                if count == found.len() {
                    next.publish(&found);
                    count = 0;
                }
            }
        }
    }
    if count != 0 {
        next.publish(&found[..count]);
    }
}

fn main() {
    let arguments = numbers(&["NODES", "DEGREE", "GRAIN", "WORKERS"]);
    let (nodes, degree, grain, workers) =
        (arguments[0] as usize, arguments[1] as u32, arguments[2] as usize, arguments[3]);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(workers as usize).build().expect("a pool of threads");

    let graph = random_graph(nodes as u32, degree);
    let (expected, edges) = search_with_queue(&graph);
    let distances: &[AtomicU8] = huge_slice(nodes, || AtomicU8::new(UNREACHED));
    let mut frontier = huge_slice(nodes, || AtomicU32::new(0));
    let mut next = Next { nodes: huge_slice(nodes, || AtomicU32::new(0)), count: AtomicUsize::new(0) };

    let mut search = || {
        distances.iter().for_each(|distance| distance.store(UNREACHED, Relaxed));
        distances[0].store(0, Relaxed);
        frontier[0].store(0, Relaxed);
        let watch = Stopwatch::start();
        let (mut width, mut level) = (1, 1u8);
        while width != 0 {
            let here = &frontier[..width];
            let pieces = width.div_ceil(grain);
            (0..pieces).into_par_iter().for_each(|i| {
                expand(&graph, here, i * grain..width.min((i + 1) * grain), distances, level, &next)
            });
            width = next.count.swap(0, Relaxed);
            std::mem::swap(&mut frontier, &mut next.nodes);
            level += 1;
        }
        watch.stop()
    };
    pool.broadcast(|_| {});
    let taken = pool.install(|| {
        search(); // warms the process up
        search()
    });

    let wrong = (0..nodes).find(|&v| distances[v].load(Relaxed) != expected[v]);
    if let Some(v) = wrong {
        eprintln!("node {v} has distance {} instead of {}", distances[v].load(Relaxed), expected[v]);
    }
    Row {
        suite: "bfs",
        row: "bfs",
        runtime: "rayon",
        workers,
        unit: "ns",
        operations: edges,
        taken,
        verified: wrong.is_none(),
    }
    .print();
}
