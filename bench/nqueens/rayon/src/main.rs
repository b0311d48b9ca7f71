//! rayon in the suite `nqueens`: nqueens_rayon QUEENS DEPTH WORKERS prints the row as a line of JSON. DEPTH 0: a task at
//! every node.

use ramie_bench_peer::{numbers, Row, Stopwatch};
use rayon::prelude::*;
use std::hint::black_box;

/// The placement of bench/nqueens/problem.hpp.
#[derive(Clone, Copy, Default)]
struct Placement {
    columns: u32,
    left: u32,
    right: u32,
}

impl Placement {
    fn free(&self, all: u32) -> u32 {
        all & !(self.columns | self.left | self.right)
    }
    fn with_queen(&self, column: u32) -> Placement {
        Placement {
            columns: self.columns | column,
            left: (self.left | column) << 1,
            right: (self.right | column) >> 1,
        }
    }
}

fn lowest(columns: u32) -> u32 {
    columns & columns.wrapping_neg()
}

#[inline(never)]
fn solutions_from(all: u32, p: &Placement) -> u64 {
    if p.columns == all {
        return 1;
    }
    let mut found = 0;
    let mut left = p.free(all);
    while left != 0 {
        found += solutions_from(all, &p.with_queen(lowest(left)));
        left &= left - 1;
    }
    found
}

fn collect(all: u32, p: Placement, rows: u64, into: &mut Vec<Placement>) {
    if rows == 0 {
        return into.push(p);
    }
    let mut left = p.free(all);
    while left != 0 {
        collect(all, p.with_queen(lowest(left)), rows - 1, into);
        left &= left - 1;
    }
}

/// Solutions and tasks.
type Found = (u64, u64);

fn plus(a: Found, b: Found) -> Found {
    (a.0 + b.0, a.1 + b.1)
}

fn with_depth(all: u32, depth: u64) -> Found {
    let mut starts = Vec::new();
    collect(all, Placement::default(), depth, &mut starts);
    // One task for each.
    starts.par_iter().with_max_len(1).map(|p| (solutions_from(all, p), 1)).reduce(|| (0, 0), plus)
}

/// The node's own task and those below.
fn every_node(all: u32, p: Placement) -> Found {
    plus((u64::from(p.columns == all), 1), children(all, &p, p.free(all)))
}

/// The children in `left`: the first beside the others. A join needs no memory for its task; a scope would.
fn children(all: u32, p: &Placement, left: u32) -> Found {
    if left == 0 {
        return (0, 0);
    }
    let first = p.with_queen(lowest(left));
    let others = left & (left - 1);
    if others == 0 {
        return every_node(all, first);
    }
    let (a, b) = rayon::join(|| every_node(all, first), || children(all, p, others));
    plus(a, b)
}

/// Solutions and nodes for 1 to 14 queens, as bench/nqueens/problem.cpp has them.
const KNOWN: [(u64, u64); 14] = [
    (1, 1),
    (0, 2),
    (0, 5),
    (2, 16),
    (10, 53),
    (4, 152),
    (40, 551),
    (92, 2_056),
    (352, 8_393),
    (724, 35_538),
    (2_680, 166_925),
    (14_200, 856_188),
    (73_712, 4_674_889),
    (365_596, 27_358_552),
];

/// The valid placements of the first rows, counted on a board of numbers instead of bits.
fn on_a_board(board: &mut Vec<u64>, size: u64, rows: u64) -> u64 {
    let row = board.len() as u64;
    if row == rows {
        return 1;
    }
    let mut found = 0;
    for column in 0..size {
        let attacked =
            board.iter().zip(0u64..).any(|(&c, r)| c == column || c.abs_diff(column) == row - r);
        if !attacked {
            board.push(column);
            found += on_a_board(board, size, rows);
            board.pop();
        }
    }
    found
}

fn main() {
    let [queens, depth, workers] = numbers(&["QUEENS", "DEPTH", "WORKERS"]).try_into().unwrap();
    if !(1..=KNOWN.len() as u64).contains(&queens) {
        eprintln!("QUEENS is a number from 1 to {}", KNOWN.len());
        std::process::exit(2);
    }
    let all = (1u32 << queens) - 1;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(workers as usize).build().unwrap();
    // All threads have started before the clock does.
    pool.broadcast(|_| {});
    let repetition = || match depth {
        0 => every_node(all, Placement::default()),
        _ => with_depth(all, depth),
    };
    let (taken, mut found) = pool.install(|| {
        black_box(repetition()); // warms the process up
        let watch = Stopwatch::start();
        let found = repetition();
        (watch.stop(), found)
    });
    let (solutions, nodes) = KNOWN[queens as usize - 1];
    let tasks = match depth {
        0 => nodes,
        _ => on_a_board(&mut Vec::new(), queens, depth),
    };
    if depth == 0 {
        found.1 -= 1; // the first call, for the empty board, is no task
    }
    let name = match depth {
        0 => "every_node".to_string(),
        _ => format!("depth{depth}"),
    };
    Row {
        suite: "nqueens",
        row: &name,
        runtime: "rayon",
        workers,
        unit: "ns",
        operations: nodes,
        taken,
        verified: found == (solutions, tasks),
    }
    .print();
}
