#!/usr/bin/env python3
"""Prints the JSON of a run that has rows for every plot; numbers are invented and always the same."""
import json
import math
import random
import sys

WORKERS = [1, 2, 4, 8]
WORKLOADS = {  # suite: (rows, unit, time with one worker, share that is serial, peers)
    "balanced": (["balanced"], "us", 24.1, 0.004, ["tbb", "go"]),
    "imbalanced": (["imbalanced"], "us", 26.3, 0.006, ["tbb", "go"]),
    "fib": (["cutoff20", "no_cutoff"], "ns", 31.0, 0.003, ["tbb", "openmp", "rayon", "go", "boost_fiber", "tokio"]),
    "heat": (["heat"], "ms", 3.4, 0.03, ["openmp", "tbb"]),
    "bfs": (["bfs"], "ms", 88, 0.12, ["plain_call", "tbb", "rayon"]),
    "nqueens": (["depth1", "depth2", "depth3", "every_node"], "ms", 260, 0.01, ["tbb", "rayon", "openmp"]),
    "mergesort": (["mergesort", "mergesort_parallel"], "ns", 92, 0.1, ["rayon", "tbb"]),
}


def add_queues(add, chance):
    """Every row of the suite `queues`, for all kinds."""
    for i, queue in enumerate(("chase_lev", "global", "locked", "abp", "bwos_lifo", "bwos_fifo", "exchange", "split")):
        def ours(row, threads, unit, median, stats=None):
            add("queues", row, "ramie", threads, unit, median * (1 + 0.2 * i), stats, queue)
        for row, median in (("push_pop", 3.4), ("push", 1.3), ("pop", 2.1), ("push_pop_depth1", 5.2)):
            ours(row, 1, "ns", median)
        ours("push_pop_thief", 2, "ns", 9.1)
        ours("steals", 2, "1/us", 6.5)
        for size in (4, 8):
            ours("throughput_%db_0t" % size, 1, "op/s", 5.1e8, {"owner_per_s": 5.1e8, "thieves_per_s": 0})
            for thieves in (1, 5):
                for frequency, stolen in (("10k", 9.9e3), ("100k", 9.8e4), ("1m", 8.8e5), ("flat", 4.4e6)):
                    owner = 5e8 / (1 + i) - stolen * 10
                    ours("throughput_%db_%dt_%s" % (size, thieves, frequency), thieves + 1, "op/s", owner + stolen,
                         {"owner_per_s": owner, "thieves_per_s": stolen / (1 + 0.1 * i), "cpu_ns_an_item": 12.5})
        ours("steal_status", 3, "%", 12, {"attempts": 100000, "steals": 12000, "empties": 70000 - 9000 * i,
                                          "lost_races": 18000 + 9000 * i, "success_rate": 0.12})
        for thieves in (1, 5):
            buckets, low = {}, 32
            while low < 4000:
                end = low + 2 ** (int(math.log2(low)) - 3)
                count = int(4000 * math.exp(-(math.log(low / (90 + 15 * i)) / 0.35) ** 2) * (0.8 + 0.4 * chance.random()))
                if count:
                    buckets["latency_ns_%d" % low] = count
                low = end
            ours("steal_latency_%dt" % thieves, thieves + 1, "ns", 92, buckets)
        ours("wait_p99", 2, "us", 480, {"wait_median_us": 0.4, "wait_thousandth_us": 2100, "cpu_ns_an_item": 130})
    for row, median in (("push_pop", 3.2), ("push", 1.2), ("pop", 1.1), ("push_pop_depth1", 3.1)):
        add("queues", row, "plain_ring", 1, "ns", median)
    for row, threads, unit, median in (("push_pop", 1, "ns", 7.7), ("push_pop_depth1", 1, "ns", 8.1),
                                       ("push_pop_thief", 2, "ns", 11.0), ("steals", 2, "1/us", 5.5)):
        add("queues", row, "crossbeam", threads, unit, median)


def add_jobs(add, workers):
    """Every row of the suite `jobs`."""
    def stolen(w):
        return {"steals": 40 * w, "attempts": 60 * w, "success_rate": 0.67}

    for iterations in [0] + list(range(100, 2001, 100)):
        serial, row = 1.42 * iterations + 2, "work_%d" % iterations if iterations else "empty"
        add("jobs", row, "plain_call", 1, "ns", serial)
        for w in workers:
            add("jobs", row, "ramie", w, "ns", (serial + 15) / w + 2, stolen(w), "split")
            add("jobs", row, "ramie", w, "ns", (serial + 30) / w + 40, stolen(w), "exchange")
            add("jobs", row, "ramie_no_parents", w, "ns", (serial + 35) / w + 6)
            add("jobs", row, "control", w, "ns", serial / w)
            add("jobs", row, "tbb", w, "ns", (serial + 70) / w + 9)
    for w in workers:
        add("jobs", "tree", "ramie", w, "ns", 17 / w, stolen(w), "split")
        add("jobs", "tree", "tbb", w, "ns", 80 / w)


def fixture(workers=None):
    chance = random.Random(7)
    rows = []

    def add(suite, row, runtime, w, unit, median, stats=None, queue=""):
        noise = 1 + 0.08 * chance.random()
        rows.append({"suite": suite, "row": row, "runtime": runtime, "workers": w, "queue": queue, "unit": unit,
                     "median": median, "min": median / noise, "max": median * (1 + (noise - 1) * 2), "runs": 5,
                     "verified": True, "stats": stats or {}})

    def ramie_stats(w):
        attempts = 0 if w == 1 else int(900 * w ** 1.6)
        steals = int(attempts * 0.62 / math.sqrt(w))
        found = {"steals": steals, "attempts": attempts, "lost_races": int(attempts * 0.02),
                 "empties": attempts - steals, "parks": 4 * w, "wakeups": 4 * w, "voluntary_switches": 6 * w,
                 "cpu_s": 0.31}
        if attempts:
            found["success_rate"] = steals / attempts
        return found

    def time(one, serial, w):
        return one * (serial + (1 - serial) / w)

    for runtime, raw in (("ramie", 1.9), ("control", 1.1), ("boost_context", 2.3), ("ucontext", 251), ("std_thread", 2810)):
        add("switch", "raw", runtime, 1, "ns", raw)
    for runtime, raw in (("ramie", 9.4), ("boost_fiber", 31), ("go", 56), ("tokio", 44)):
        add("switch", "yield", runtime, 1, "ns", raw)
    for suite, (names, unit, one, serial, peers) in WORKLOADS.items():
        for i, row in enumerate(names):
            for w in workers or WORKERS:
                mine = time(one * (1 + 0.2 * i), serial, w)
                stats = ramie_stats(w)
                if suite == "imbalanced":
                    for n in range(w):
                        stats["worker_cycles_%d" % n] = int(6.1e9 / w * (0.97 + 0.06 * chance.random()))
                add(suite, row, "ramie", w, unit, mine, stats, "chase_lev")
                add(suite, row, "control", w, unit, mine * (0.93 if suite == "balanced" else 1.5))
                for n, peer in enumerate(peers):
                    add(suite, row, peer, w, unit, mine * (0.9 + 0.22 * n) * (40 if peer == "tokio" else 1))
        if suite in ("balanced", "imbalanced", "heat"):
            for w in workers or WORKERS:
                stats = {"steals": 0, "attempts": 0}
                if suite == "imbalanced":
                    for n in range(w):
                        stats["worker_cycles_%d" % n] = int(6.1e9) if n == 0 else 0
                add(suite, suite + "_stealing_off", "ramie", w, unit, one * 1.01, stats, "chase_lev")
    for w, before, after in ((4, (16689, 0.046), (1707, 0.452)), (8, (58597, 0.015), (4421, 0.21))):
        for row, (attempts, rate) in (("contention_before", before), ("contention_after", after)):
            add("contention", row, "ramie", w, "us", 25.0 / w, {"attempts": attempts, "success_rate": rate,
                                                                 "steals": int(attempts * rate)}, "chase_lev")
    add("migration", "migration_local", "ramie", 2, "cycles", 412, {}, "chase_lev")
    add("migration", "migration_stolen", "ramie", 2, "cycles", 1893, {}, "chase_lev")
    for row, unit, one in (("first_wave", "s", 0.91), ("second_wave", "s", 0.4), ("bytes_each", "bytes", 4416)):
        add("million", row, "ramie", 2, unit, one, {"n": 1000000}, "chase_lev")
        add("million", row, "go", 2, unit, one * 1.7, {"n": 1000000})
    for suite, (_, _, _, serial, _) in WORKLOADS.items():
        work, span = 1.9, 1.9 * serial / 4
        stats = {"work_s": work, "span_s": span, "burdened_span_s": span * 3}
        for p in (2 ** i for i in range(1, 11)):
            stats["allowed_%d" % p] = work / (work / p + span)
            stats["burdened_%d" % p] = work / (work / p + 3 * span)
        for w in (workers or WORKERS)[1:]:
            stats["measured_%d" % w] = 0.96 * work / (work / w + 3 * span)
        add("scaling", suite, "ramie", 2, "x", 1.9, stats, "chase_lev")
    add_queues(add, chance)
    add_jobs(add, workers or WORKERS)
    # Faults must be seen: a failure, a name that is markup, a wide spread. Optional parts: a rate, two queues.
    rows[3]["max"] = rows[3]["median"] * 1.4
    for queue, factor in (("chase_lev", 1), ("locked", 2.6)):
        add("hostile", "rate", "ramie", 1, "1/us", 8.2 / factor, {}, queue)
    add("hostile", "<b>&\"row\"</b>", "ramie", 1, "ns", 3, {"odd & <stat>": 1})
    add("hostile", "$a_b$ wrong", "go<script>", 1, "ns", 5)
    add("hostile", "broken", "ramie", 1, "ns", 5)
    rows[-1].update(verified=False, complaint="the sum is <41>")
    machine = {"cpu": "Imagined CPU 9000 @ 3.00GHz", "cores": 8, "usable_cores": 8, "virtual_machine": True,
               "kernel": "Linux 6.1.0 x86_64", "system": "Debian GNU/Linux 12 (bookworm)", "memory_bytes": 16 << 30,
               "load": 0.2, "compiler": "gcc 12.2.0", "flags": "-O3 -DNDEBUG"}
    options = {"suites": [], "workers": workers or WORKERS, "queue": "chase_lev", "victim": "random", "stealing": True,
               "pin": False, "backoff": "exponential", "spin_ns": None, "seed": 1, "duration_ms": 0, "quick": False,
               "full": False, "peers": True, "runs": 5}
    return {"machine": machine, "options": options, "rows": rows}


if __name__ == "__main__":
    counts = [int(w) for w in sys.argv[1].split(",")] if len(sys.argv) > 1 else None
    json.dump(fixture(counts), sys.stdout, indent=1)
