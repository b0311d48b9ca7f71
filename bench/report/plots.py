"""Draws the plots of a run of `ramie bench`.

Reads the run's JSON (bench/README.md) on standard input. Prints
{"plots": [{"suite", "name", "title", "look", "height", "svg"}], "problems": [...]}; suite "" belongs to the whole run.
A plot is drawn if its rows are there. One that fails becomes a problem and keeps no other away.

The program is drawing.py, queue_plots.py, job_plots.py and this file, one after the other.
"""


def of_ramie(rows):
    return [r for r in rows if r["runtime"] == "ramie"]


def grouped(rows, *keys):
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[k] for k in keys), []).append(row)
    return groups


def short(row, suite):
    """A row's name without the suite's in front of it."""
    name = row[len(suite) + 1:] if row.startswith(suite + "_") else row
    return name.replace("_", " ")


def all_speedups(rows):
    named = []
    for (suite, row), mine in grouped(of_ramie(rows), "suite", "row").items():
        if suite in NOT_SCALING or row.endswith(OFF) or mine[0]["unit"] not in SECONDS:
            continue
        points = speedups(mine)
        if points:
            name = suite if row == suite else "%s, %s" % (suite, short(row, suite))
            named.append((name, points, SERIES[len(named) % 8], MARKERS[len(named) % 8]))
    if named:
        yield ("Speed-up of ramie", "Time with one worker divided by time with so many. Higher is better; the dotted line "
               "is as many times faster as there are workers, which no line passes for long.",
               speedup_plot(named, 230))


def against_peers(rows):
    """One line a row: how many times the time of ramie each other runtime takes."""
    found, runtimes = [], []
    for (suite, row), mine in grouped(rows, "suite", "row").items():
        ours = of_ramie(mine)
        if not ours or row.endswith(OFF) or mine[0]["unit"] not in SECONDS:
            continue
        most = max(r["workers"] for r in ours)
        base = next(r for r in ours if r["workers"] == most)
        ratios = [(r["runtime"], r["median"] / base["median"]) for r in mine
                  if r["runtime"] != "ramie" and r["runtime"] not in GREYS and r["workers"] == most]
        if ratios:
            found.append((row.replace("_", " "), ratios))
            runtimes += [name for name, _ in ratios]
    if len(found) < 2:
        return
    runtimes = unique(runtimes)
    left = min(170, 10 + max(len(n) for n, _ in found) * 6.4)
    step = 19
    canvas = Canvas(1)
    entries = [(style(name, runtimes), MARKERS[i % 8], name) for i, name in enumerate(runtimes)]
    top = canvas.marks(0, 8, entries) + 14
    canvas = Canvas(top + step * len(found) + 38)
    canvas.marks(0, 8, entries)
    axes = canvas.axes(left, top, WIDTH - left - 14, step * len(found))
    values = [v for _, ratios in found for _, v in ratios] + [1]
    low, high = min(values) / 1.25, max(values) * 1.25
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    ticks = [t for t in (0.01, 0.1, 0.2, 0.5, 1, 2, 5, 10, 100, 1000, 10000) if low <= t <= high]
    if high / low > 60:
        ticks = [t for t in ticks if math.log10(t) == int(math.log10(t))]
    axes.set_xticks(ticks)
    axes.set_xticklabels(["%g×" % t for t in ticks])
    axes.minorticks_off()
    axes.set_ylim(step * len(found), 0)
    axes.set_yticks([])
    axes.axvline(1, color=SERIES[0], linewidth=2)
    for i, (name, ratios) in enumerate(found):
        middle = step * (i + 0.5)
        axes.axhline(middle, color=GRID, linewidth=0.8, zorder=0)
        canvas.text(left - 8, top + middle, name, ha="right")
        for runtime, ratio in ratios:
            axes.plot([ratio], [middle], color=style(runtime, runtimes), marker=MARKERS[runtimes.index(runtime) % 8],
                      markersize=7, markeredgecolor=PAPER, markeredgewidth=0.6, linestyle="none", zorder=3)
    canvas.text(left + (WIDTH - left - 14) / 2, top + step * len(found) + 29, "time, as a multiple of ramie's",
                color=MUTED, ha="center")
    yield ("Peers against ramie", "Time of each peer over that of ramie in the same row, with the most workers measured. "
           "Right of the line the peer is slower, left of it ramie is.", canvas)


def suite_bars(suite, rows):
    """Every runtime in every row, with one worker and with the most."""
    if suite in ("contention", "migration", "scaling"):
        return
    if suite == "queues":  # the others have plots of their own
        rows = [r for r in rows if r["row"] in ("push_pop", "push_pop_depth1", "push_pop_thief", "steals")]
        if not rows:
            return
    others = [r for r in unique(r["runtime"] for r in rows) if r not in RUNTIMES and r not in GREYS]
    panels = []
    every = sorted(unique(r["workers"] for r in rows))
    shown = unique([every[0], every[-1]])
    for (name, unit), mine in grouped(rows, "row", "unit").items():
        if name.endswith(OFF) and any(r["row"] == name[:-len(OFF)] for r in rows):
            continue
        groups = []
        workers = sorted(unique(r["workers"] for r in mine))
        for w in workers:
            if w not in shown and len(workers) > 2:
                continue
            bars = []
            here = [r for r in mine if r["workers"] == w]
            for r in here:
                twice = sum(1 for x in here if x["runtime"] == r["runtime"]) > 1
                label = "%s, %s" % (r["runtime"], r["queue"]) if twice and r["queue"] else r["runtime"]
                bars.append((label, r["runtime"], r["median"], r["min"], r["max"]))
            groups.append((counted(w, "worker") if len(every) > 1 else "", bars))
        panels.append((name.replace("_", " "), unit + (" (higher is better)" if higher_is_better(unit) else ""), groups))
    up = [higher_is_better(r["unit"]) for r in rows]
    better = "Longer bars are better." if all(up) else "Shorter bars are better" + \
        (", except where a row says otherwise." if any(up) else ".")
    yield ("bars", "Ramie beside control and peers", "Medians, with a whisker from the quickest to the slowest "
           "repetition. " + better, bar_panels(panels, others))


def suite_speedups(suite, rows):
    if suite in NOT_SCALING:
        return
    for row, mine in grouped(rows, "row").items():
        row = row[0]
        others = [r for r in unique(r["runtime"] for r in mine) if r not in RUNTIMES and r not in GREYS]
        if row.endswith(OFF) or mine[0]["unit"] not in SECONDS:
            continue
        named = [(runtime[0], speedups(of), style(runtime[0], others), "")
                 for runtime, of in grouped(mine, "runtime").items() if speedups(of)]
        named = [(n, p, c, MARKERS[i % 8]) for i, (n, p, c, _) in enumerate(named)]
        if any(n == "ramie" for n, *_ in named) and len(named) > 1:
            yield ("speedup-" + row, "Speed-up of " + row.replace("_", " "), "Each runtime against its own time with one "
                   "worker. Higher is better, but a slow runtime can also scale: who is fastest, the bars show.",
                   speedup_plot(named, 130))


def suite_steals(suite, rows):
    if suite in ("contention", "queues", "scaling"):
        return
    lines = []
    for (row, queue), mine in grouped(of_ramie(rows), "row", "queue").items():
        mine = sorted((r for r in mine if r["workers"] > 1 and r["stats"].get("attempts", 0) > 0),
                      key=lambda r: r["workers"])
        if mine and not row.endswith(OFF):
            lines.append(("%s, %s" % (short(row, suite), queue) if queue and len(unique(
                r["queue"] for r in of_ramie(rows))) > 1 else short(row, suite), mine))
    if not lines:
        return
    lines = lines[:8]
    workers = sorted(unique(r["workers"] for _, mine in lines for r in mine))
    if len(workers) == 1:
        # One worker count has no course: bars.
        left = min(170, 12 + max(len(n) for n, _ in lines) * 6.4)
        canvas = Canvas(30 + 20 * len(lines))
        half = (WIDTH - left - 20) / 2
        for i, (title, value, words) in enumerate((
                ("steals", lambda r: r["stats"].get("steals", 0), number),
                ("success rate", lambda r: r["stats"].get("success_rate", 0), share))):
            at = left + i * (half + 20)
            axes = canvas.axes(at, 24, half, 20 * len(lines))
            axes.spines["bottom"].set_visible(False)
            axes.set_xticks([])
            axes.set_yticks([])
            axes.set_ylim(20 * len(lines), 0)
            most = max([value(mine[0]) for _, mine in lines] + [1e-9])
            axes.set_xlim(0, most * half / (half - 46))
            canvas.text(at, 10, "%s, %d workers" % (title, workers[0]) if i == 0 else title, weight="bold")
            for j, (name, mine) in enumerate(lines):
                v = value(mine[0])
                axes.barh(20 * j + 10, v, height=12, color=SERIES[j % 8])
                canvas.text(at + v / most * (half - 46) + 5, 24 + 20 * j + 10, words(v))
                if i == 0:
                    canvas.text(left - 6, 24 + 20 * j + 10, name, ha="right")
    else:
        left, high, gap = 44, 92, 34
        canvas = Canvas(2 * high + gap + 24 + 40)
        width = WIDTH - left - (label_space([n for n, _ in lines]) if len(lines) > 1 else 14)
        for i, (title, value) in enumerate((("steals", lambda r: r["stats"].get("steals", 0)),
                                            ("success rate", lambda r: r["stats"].get("success_rate", 0) * 100))):
            top = 24 + i * (high + gap)
            axes = canvas.axes(left, top, width, high)
            worker_axis(axes, workers, max(workers) > 8)
            if i == 0:
                axes.set_xticklabels([])  # the lower panel has the same
            most = max([value(r) for _, mine in lines for r in mine] + [1e-9])
            axes.set_ylim(0, most * 1.08)
            axes.set_yticks([0, most / 2, most])
            axes.set_yticklabels([number(t) if i == 0 else "%.3g %%" % t for t in (0, most / 2, most)])
            axes.grid(axis="y", color=GRID, linewidth=0.8)
            canvas.text(0, top - 14, title, weight="bold")
            drawn = [(name, [(r["workers"], value(r)) for r in mine], SERIES[j % 8], MARKERS[j % 8])
                     for j, (name, mine) in enumerate(lines)]
            if len(lines) > 1:
                labelled_lines(canvas, axes, (left, top, width, high), drawn)
            else:
                axes.plot(*zip(*drawn[0][1]), color=SERIES[0], marker="o", linewidth=1.8, clip_on=False)
        canvas.text(left + width / 2, canvas.height - 10, "workers", color=MUTED, ha="center")
    yield ("steals", "Steals", "Work that changed hands in a repetition, and the share of attempts that got some. A higher "
           "success rate is better: a failed attempt is work for nothing. Few steals are no fault.", canvas)


def suite_stealing(suite, rows):
    ours = of_ramie(rows)
    for name in unique(r["row"] for r in ours if r["row"] + OFF in [x["row"] for x in ours]):
        groups = []
        for w in sorted(unique(r["workers"] for r in ours)):
            pair = []
            for row, label, runtime in ((name, "stealing on", "ramie"), (name + OFF, "off", "control")):
                r = next((r for r in ours if r["row"] == row and r["workers"] == w), None)
                if r:
                    pair.append((label, runtime, r["median"], r["min"], r["max"]))
            if len(pair) == 2:
                groups.append((counted(w, "worker"), pair))
        if groups:
            yield ("stealing-" + name, "Stealing on against off", "Without stealing the work stays where it was spawned. "
                   "Shorter is better; the gap at more than one worker is what stealing brings.",
                   bar_panels([(name.replace("_", " "), ours[0]["unit"], groups)], []))


def suite_cycles(suite, rows):
    panels = []
    for name in unique(r["row"] for r in of_ramie(rows)):
        mine = [(r["workers"], numbered(r["stats"], "worker_cycles")) for r in of_ramie(rows) if r["row"] == name]
        mine = [(w, cycles) for w, cycles in mine if len(cycles) > 1]
        if mine:
            panels.append((name, max(mine)[0], max(mine)[1]))
    if not panels:
        return
    sizes = [len(cycles) * 17 for _, _, cycles in panels]
    canvas = Canvas(sum(sizes) + 42 * len(panels))
    left, top = 66, 0
    for (name, workers, cycles), size in zip(panels, sizes):
        width = WIDTH - left - 4
        axes = canvas.axes(left, top + 26, width, size)
        axes.spines["bottom"].set_visible(False)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.set_ylim(size, 0)
        most = max([v for _, v in cycles] + [1e-9])
        axes.set_xlim(0, most * width / (width - 48))
        mean = sum(v for _, v in cycles) / len(cycles)
        for i, (w, value) in enumerate(cycles):
            axes.barh(17 * i + 8.5, value, height=12, color=SERIES[0])
            canvas.text(left - 6, top + 26 + 17 * i + 8.5, "worker %d" % w, ha="right")
            canvas.text(left + max(value, mean) / most * (width - 48) + 6, top + 26 + 17 * i + 8.5, number(value))
        axes.axvline(mean, color=INK, linewidth=1, linestyle=(0, (3, 2)))
        canvas.text(0, top + 12, name.replace("_", " "), NORMAL, weight="bold")
        canvas.text(WIDTH - 4, top + 12, "cycles, %s" % counted(workers, "worker"), color=MUTED, ha="right")
        top += size + 42
    yield ("cycles", "Cycles a worker", "How much each worker computed in a repetition; the dashed line is the mean. The "
           "more equal the bars, the better.", canvas)


def suite_contention(suite, rows):
    ours = of_ramie(rows)
    both = ("contention_before", "contention_after")
    if not all(any(r["row"] == name for r in ours) for name in both):
        return
    workers = sorted(unique(r["workers"] for r in ours if r["row"] in both))
    panels = (("success rate", "success_rate", share, "higher is better"),
              ("attempts", "attempts", number, "lower is better"))
    left, step, each = 60, 17, 2 * 17 + 20
    canvas = Canvas(len(panels) * (each * len(workers) + 34))
    top = 0
    for title, stat, words, better in panels:
        width = WIDTH - left - 4
        values = {(r["row"], r["workers"]): r["stats"].get(stat, 0) for r in ours}
        most = max(list(values.values()) + [1e-9])
        axes = canvas.axes(left, top + 22, width, each * len(workers))
        axes.spines["bottom"].set_visible(False)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.set_ylim(each * len(workers), 0)
        axes.set_xlim(0, most * width / (width - 52))
        canvas.text(0, top + 10, title, NORMAL, weight="bold")
        canvas.text(WIDTH - 4, top + 10, better, color=MUTED, ha="right")
        for i, w in enumerate(workers):
            canvas.text(left, top + 22 + each * i + 11, counted(w, "worker"), color=MUTED)
            for j, (name, label, colour) in enumerate(zip(both, ("before", "after"), (GREY, SERIES[0]))):
                value = values.get((name, w))
                if value is None:
                    continue
                middle = each * i + 19 + step * (j + 0.5)
                axes.barh(middle, value, height=12, color=colour)
                canvas.text(left - 6, top + 22 + middle, label, ha="right")
                canvas.text(left + value / most * (width - 52) + 6, top + 22 + middle, words(value))
        top += each * len(workers) + 34
    yield ("contention", "Contention, before and after", "Before: every thief scans from worker 0 and never pauses. After: "
           "random start and backoff. A higher success rate is better, fewer attempts are better.", canvas)


def suite_migration(suite, rows):
    ours = [r for r in of_ramie(rows) if r["row"] in ("migration_local", "migration_stolen")]
    if len(unique(r["row"] for r in ours)) < 2:
        return
    groups = []
    for w in sorted(unique(r["workers"] for r in ours)):
        bars = [(short(r["row"], "migration"), "ramie" if r["row"].endswith("local") else "tbb", r["median"], r["min"],
                 r["max"]) for r in sorted(ours, key=lambda r: r["row"]) if r["workers"] == w]
        groups.append((counted(w, "worker"), bars))
    yield ("migration", "Local against stolen", "What a fiber costs that runs where it was spawned, and one that another "
           "worker stole: the difference is the price of a migration. Lower is better.",
           bar_panels([("a fiber", ours[0]["unit"], groups)], []))


def suite_scaling(suite, rows):
    found = []
    for r in rows:
        allowed = numbered(r["stats"], "allowed")
        if r["runtime"] == "ramie" and len(allowed) > 1:
            found.append((r["row"].replace("_", " "), allowed, numbered(r["stats"], "burdened"),
                          numbered(r["stats"], "measured")))
    found = list({name: entry for name, *entry in found}.items())
    if suite != "scaling" or not found:
        return
    columns = 2 if len(found) > 1 else 1
    lines = math.ceil(len(found) / columns)
    each, high, top = 148, 92, 26
    canvas = Canvas(top + each * lines + 20)
    canvas.line([2, 20], [8, 8], color=SERIES[0], linewidth=2)
    canvas.text(25, 8, "allowed")
    canvas.line([84, 102], [8, 8], color=SERIES[1], linewidth=1.6, linestyle=(0, (4, 1.5)))
    canvas.text(107, 8, "burdened")
    canvas.line([182], [8], color=INK, marker="o", markersize=5, linestyle="none")
    canvas.text(191, 8, "measured")
    canvas.line([264, 282], [8, 8], color=MUTED, linewidth=1, linestyle=(0, (2, 2)))
    canvas.text(287, 8, "ideal")
    width = (WIDTH - 44 * columns) / columns
    for i, (name, (allowed, burdened, measured)) in enumerate(found):
        left = 34 + (i % columns) * (width + 44)
        y = top + (i // columns) * each
        axes = canvas.axes(left, y + 22, width, high)
        most = max(p for p, _ in allowed)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log", base=2)
        lows = [v for points in (allowed, burdened, measured) for _, v in points if v > 0]
        low = min(lows + [1])
        axes.set_xlim(1, most * 1.15)
        axes.set_ylim(2 ** math.floor(math.log2(low)), most * 1.15)
        powers = [2 ** k for k in range(0, int(math.log2(most)) + 1)]
        ticks = powers[::max(1, math.ceil(len(powers) / 5))]
        axes.set_xticks(ticks)
        axes.set_xticklabels([str(t) for t in ticks])
        axes.set_yticks(ticks)
        axes.set_yticklabels(["%d×" % t for t in ticks])
        axes.minorticks_off()
        axes.grid(axis="y", color=GRID, linewidth=0.8)
        axes.plot([1, most], [1, most], color=MUTED, linewidth=1, linestyle=(0, (2, 2)))
        if burdened:
            axes.plot(*zip(*burdened), color=SERIES[1], linewidth=1.6, linestyle=(0, (4, 1.5)))
        axes.plot(*zip(*allowed), color=SERIES[0], linewidth=2)
        if measured:
            axes.plot(*zip(*measured), color=INK, marker="o", markersize=5, linestyle="none", clip_on=False, zorder=4)
        canvas.text(left - 34, y + 10, name, NORMAL, weight="bold")
    canvas.text(WIDTH / 2, canvas.height - 10, "workers", color=MUTED, ha="center")
    yield ("scaling", "Speed-up that work and span allow", "T₁ / (T₁/P + T∞) for P workers; burdened counts the cost of "
           "spawns and steals into the span. Higher is better; points below the line are what the scheduler or the "
           "machine took.", canvas)


WHOLE = [("speedup", all_speedups), ("peers", against_peers)]
SUITE = [suite_bars, suite_speedups, suite_stealing, suite_cycles, suite_contention, suite_migration, suite_scaling,
         suite_steals] + QUEUE_PLOTS
SWEEPS = JOB_PLOTS


def main():
    rows = [r for r in json.load(sys.stdin)["rows"] if usable(r)]
    plots, problems = [], []

    def keep(suite, name, title, look, canvas):
        name = "plot-" + re.sub(r"[^A-Za-z0-9_-]", "-", "%s-%s" % (suite or "all", name))
        plots.append({"suite": suite, "name": name, "title": title, "look": look, "height": canvas.height,
                      "svg": canvas.svg(name)})

    def attempt(suite, draw, *how):
        try:
            for found in draw(*how):
                keep(suite, *found)
        except Exception as problem:  # the other plots are wanted all the same
            problems.append("%s %s: %s: %s" % (suite, draw.__name__, type(problem).__name__, problem))

    for name, draw in WHOLE:
        attempt("", lambda name=name, draw=draw: [(name, *found) for found in draw(without_sweep(rows))])
    for (suite,), mine in grouped(rows, "suite").items():
        for draw in SUITE:
            attempt(suite, draw, suite, without_sweep(mine))
        for draw in SWEEPS:
            attempt(suite, draw, suite, mine)
    json.dump({"plots": plots, "problems": problems}, sys.stdout)


if __name__ == "__main__":
    main()
