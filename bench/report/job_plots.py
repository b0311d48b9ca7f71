"""The plot of the suite `jobs`, after drawing.py and before plots.py in one program."""


def work_of(row):
    """The iterations of the row work_100, work_200 ...; 0 where it is another one."""
    found = re.fullmatch(r"work_(\d+)", row["row"]) if row["suite"] == "jobs" else None
    return int(found.group(1)) if found else 0


def without_sweep(rows):
    """Of the workloads of `jobs` the least and the most: the others are in a plot of their own."""
    sizes = [work_of(r) for r in rows if work_of(r)]
    return [r for r in rows if not work_of(r) or work_of(r) in (min(sizes), max(sizes))]


def job_speedups(suite, rows):
    serial = {work_of(r): r["median"] for r in rows if work_of(r) and r["runtime"] == "plain_call"}
    ours = [r for r in rows if r["runtime"] == "ramie" and work_of(r) in serial]
    ours = [r for r in ours if r["queue"] == ours[0]["queue"]]
    lines = []
    for w in sorted(unique(r["workers"] for r in ours)):
        points = sorted((work_of(r), serial[work_of(r)] / r["median"]) for r in ours if r["workers"] == w)
        lines.append((counted(w, "worker"), points, SERIES[len(lines) % 8], MARKERS[len(lines) % 8]))
    if not lines or max(len(points) for _, points, _, _ in lines) < 2:
        return
    left, top, height = 34, 30, max(200, 14 * len(lines))
    canvas = Canvas(top + height + 40)
    width = WIDTH - left - label_space([name for name, *_ in lines])
    axes = canvas.axes(left, top, width, height)
    most = max(y for _, points, _, _ in lines for _, y in points)
    ceiling = max([most] + [r["workers"] for r in ours]) * 1.05
    axes.set_xlim(0, max(serial) * 1.02)
    step = next(s for s in (100, 200, 500, 1000, 2000, 5000, 10 ** 9) if max(serial) / s <= 5)
    axes.set_xticks(range(0, max(serial) + 1, step))
    axes.set_ylim(0, ceiling)
    axes.set_yticks(range(0, math.floor(ceiling) + 1, max(1, math.ceil(ceiling / 9))))
    axes.set_yticklabels(["%g×" % t for t in axes.get_yticks()])
    axes.grid(axis="y", color=GRID, linewidth=0.8)
    axes.axhline(1, color=MUTED, linewidth=1, linestyle=(0, (2, 2)), zorder=1)
    labelled_lines(canvas, axes, (left, top, width, height), lines)
    canvas.text(0, 10, "speed-up", weight="bold")
    canvas.text(left + width, 10, "dotted: the serial loop", color=MUTED, ha="right")
    canvas.text(left + width / 2, top + height + 28, "iterations a job", color=MUTED, ha="center")
    yield ("speedup-over-work", "Speed-up over the work in a job", "Time of the loop alone divided by that of jobs which "
           "run it, on so many workers. Higher is better: a line rises to its number of workers where the work outweighs "
           "what a job costs.", canvas)


JOB_PLOTS = [job_speedups]
