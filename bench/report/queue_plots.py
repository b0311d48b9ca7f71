"""The plots of the suite `queues`: the sources' figures 5.2 to 5.9, and the wait of an item. Between drawing.py and
plots.py in one program."""

# A queue looks the same in every plot; the oldest first.
QUEUES = ["global", "locked", "abp", "chase_lev", "bwos_lifo", "bwos_fifo", "exchange", "split"]
FREQUENCIES = ["0", "10k", "100k", "1m", "flat"]


def of_queue(queue):
    """Its colour and its marker."""
    place = QUEUES.index(queue) if queue in QUEUES else 0
    return SERIES[place % 8], MARKERS[place % 8]


def named(rows, name):
    return [r for r in rows if r["row"] == name]


def queue_push_and_pop(suite, rows):
    panels = []
    for name in ("push", "pop"):
        bars = [(r["queue"] or r["runtime"], "ramie" if r["queue"] else "control", r["median"], r["min"], r["max"])
                for r in named(rows, name)]
        if bars:
            panels.append((name, "ns", [("", bars)]))
    if suite == "queues" and panels:
        yield ("push-and-pop", "Push and pop", "What the owner's operations cost without a thief, filling the queue and "
               "emptying it (figure 5.2 of the thesis). Shorter is better.", bar_panels(panels, []))


def throughput_points(rows, size, thieves):
    """{queue: [(place on the axis, row)]}"""
    points = {}
    for r in rows:
        match = re.fullmatch(r"throughput_%db_(\d+)t(?:_(\w+))?" % size, r["row"])
        if not match or int(match.group(1)) not in (0, thieves):
            continue
        frequency = match.group(2) or "0"
        if frequency in FREQUENCIES:
            points.setdefault(r["queue"], []).append((FREQUENCIES.index(frequency), r))
    return {queue: sorted(p, key=lambda x: x[0]) for queue, p in points.items() if len(p) > 1}


def throughput_canvas(points):
    panels = (("total", lambda r: r["median"]), ("owner", lambda r: r["stats"].get("owner_per_s", 0)),
              ("thieves", lambda r: r["stats"].get("thieves_per_s", 0)))
    left, gap = 40, 40
    high = max(92, 13 * len(points))
    places = sorted(unique(place for mine in points.values() for place, _ in mine))
    canvas = Canvas(3 * (high + gap) + 18)
    width = WIDTH - left - label_space(list(points))
    for i, (title, value) in enumerate(panels):
        top = 26 + i * (high + gap)
        log = title == "thieves"
        lines = []
        for queue, mine in points.items():
            course = [(place, value(r)) for place, r in mine if not log or value(r) > 0]
            if course:
                lines.append((queue, course) + of_queue(queue))
        if not lines:
            continue
        axes = canvas.axes(left, top, width, high)
        axes.set_xlim(min(places) - 0.15, max(places) + 0.15)
        axes.set_xticks(places)
        axes.set_xticklabels([FREQUENCIES[p] for p in places])
        values = [y for _, course, _, _ in lines for _, y in course]
        if log:
            axes.set_yscale("log")
            axes.set_ylim(min(values) / 1.3, max(values) * 1.3)
            decades = [10.0 ** k for k in range(math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))) + 1)]
            decades = [d for d in decades if min(values) / 1.3 <= d <= max(values) * 1.3] or [max(values)]
            axes.set_yticks(decades)
            axes.minorticks_off()
        else:
            axes.set_ylim(0, max(values) * 1.08)
            axes.set_yticks([0, max(values) / 2, max(values)])
        axes.set_yticklabels([number(t) for t in axes.get_yticks()])
        axes.grid(axis="y", color=GRID, linewidth=0.8)
        canvas.text(0, top - 15, title, weight="bold")
        canvas.text(left + width, top - 15, "a second" + (", logarithmic" if log else ""), color=MUTED, ha="right")
        labelled_lines(canvas, axes, (left, top, width, high), lines)
    canvas.text(left + width / 2, canvas.height - 9, "steals a second, all thieves", color=MUTED, ha="center")
    return canvas


def queue_throughput(suite, rows):
    if suite != "queues":
        return
    found = unique(m.groups() for r in rows for m in [re.fullmatch(r"throughput_(\d+)b_([1-9]\d*)t_\w+", r["row"])] if m)
    for size, thieves in found:
        points = throughput_points(rows, int(size), int(thieves))
        if not points:
            continue
        count = "one thief" if thieves == "1" else "%s thieves" % thieves
        yield ("throughput-%sb-%st" % (size, thieves), "Throughput, items of %s bytes, %s" % (size, count),
               "Pushes, pops and steals a second, over how often the thieves are to steal in all (figures 5.3 to 5.6 of "
               "the thesis; its blocks). Higher is better; with more threads than cores they take turns.",
               throughput_canvas(points))


def queue_status(suite, rows):
    found = [r for r in named(rows, "steal_status") if r["stats"].get("attempts", 0) > 0]
    if suite != "queues" or not found:
        return
    left, step = min(150, 12 + max(len(r["queue"]) for r in found) * 6.4), 22
    canvas = Canvas(36 + step * len(found))
    kinds = (("steals", "item", SERIES[0], "o"), ("empties", "empty", GREY, "s"), ("lost_races", "lost race", SERIES[4], "D"))
    canvas.marks(left, 8, [(colour, marker, words) for _, words, colour, marker in kinds])
    width = WIDTH - left - 136
    axes = canvas.axes(left, 26, width, step * len(found))
    axes.spines["bottom"].set_visible(False)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_xlim(0, 1)
    axes.set_ylim(step * len(found), 0)
    for i, r in enumerate(found):
        middle, start = step * (i + 0.5), 0
        for stat, _, colour, _ in kinds:
            part = r["stats"].get(stat, 0) / r["stats"]["attempts"]
            axes.barh(middle, part, left=start, height=14, color=colour, linewidth=0)
            start += part
        parts = [share(r["stats"].get(stat, 0) / r["stats"]["attempts"]) for stat, *_ in kinds]
        for j, words in enumerate(parts):
            canvas.text(left + width + 44 * (j + 1), 26 + middle, words, ha="right")
        canvas.text(left - 6, 26 + middle, r["queue"], ha="right")
    yield ("status", "What two thieves meet", "Shares of the attempts of two thieves that steal flat out: an item, an empty "
           "queue, or a race that another won (figure 5.7 of the thesis).", canvas)


def bucket_end(low):
    """Where the bucket that begins at `low` ends: eight share each power of two."""
    return low + (1 if low < 16 else 2 ** (int(math.log2(low)) - 3))


def violins(found):
    left, lane = min(150, 12 + max(len(r["queue"]) for r, _ in found) * 6.4), 38
    canvas = Canvas(14 + lane * len(found) + 36)
    width = WIDTH - left - 56
    axes = canvas.axes(left, 8, width, lane * len(found))
    total = {r["queue"]: sum(c for _, c in buckets) for r, buckets in found}
    # The rarest thousandth would stretch the axis: a thief that had to wait for its CPU.
    ends = [bucket_end(low) for r, buckets in found for low, count in buckets if count > total[r["queue"]] * 0.001]
    least = max(4, min(low for _, buckets in found for low, _ in buckets))
    axes.set_xscale("log")
    axes.set_xlim(least, max(ends) * 1.1)
    axes.set_ylim(lane * len(found), 0)
    axes.set_yticks([])
    ticks = [t for k in range(0, 10) for t in (10 ** k, 3 * 10 ** k) if least <= t <= max(ends) * 1.1]
    axes.set_xticks(ticks)
    axes.set_xticklabels([number(t) for t in ticks])
    axes.minorticks_off()
    axes.grid(axis="x", color=GRID, linewidth=0.8)
    for i, (r, buckets) in enumerate(found):
        middle = lane * (i + 0.5)
        known = dict(buckets)
        low, xs, density = min(known), [], []
        while low <= max(known):
            end = bucket_end(low)
            xs.append(math.sqrt(max(low, 1) * end))
            density.append(known.get(low, 0) / math.log(end / max(low, 0.5)))
            low = end
        smooth = [sum(density[max(0, j - 1):j + 2]) / len(density[max(0, j - 1):j + 2]) for j in range(len(density))]
        half = [0.44 * lane * d / max(smooth) for d in smooth]
        axes.fill_between(xs, [middle - h for h in half], [middle + h for h in half], color=of_queue(r["queue"])[0],
                          linewidth=0)
        axes.plot([r["median"]], [middle], color=INK, marker="|", markersize=14, markeredgewidth=1.6)
        canvas.text(left - 6, 8 + middle, r["queue"], ha="right")
        canvas.text(left + width + 6, 8 + middle, number(r["median"]) + " ns")
    canvas.text(left + width / 2, canvas.height - 9, "ns a steal that succeeded, logarithmic", color=MUTED, ha="center")
    return canvas


def queue_latency(suite, rows):
    if suite != "queues":
        return
    for name in unique(r["row"] for r in rows if r["row"].startswith("steal_latency_")):
        found = [(r, numbered(r["stats"], "latency_ns")) for r in named(rows, name)]
        found = [(r, buckets) for r, buckets in found if buckets]
        if not found:
            continue
        thieves = name[len("steal_latency_"):-1]
        yield (name.replace("_", "-"), "How long a steal takes, %s" % ("one thief" if thieves == "1" else thieves + " thieves"),
               "Distribution over the steals that brought an item, 100,000 wanted a second in all; the bar is the median "
               "(figures 5.8 and 5.9 of the thesis). Further left is better, and so is narrower.", violins(found))


def queue_waits(suite, rows):
    found = [r for r in named(rows, "wait_p99") if r["stats"].get("wait_median_us", 0) > 0]
    if suite != "queues" or not found:
        return
    # Means, as both ends of the whiskers; runs that were saved earlier have the median alone.
    bars = [r["stats"].get("wait_hundredth_us", r["median"]) for r in found]
    waits = [(r["queue"], "ramie", bar, r["stats"]["wait_median_us"], max(bar, r["stats"].get("wait_thousandth_us", 0)))
             for r, bar in zip(found, bars)]
    cpu = [(r["queue"], "ramie") + (r["stats"]["cpu_ns_an_item"],) * 3 for r in found
           if r["stats"].get("cpu_ns_an_item", 0) > 0]
    panels = [("99 % of the items wait at most", "us", [("", waits)])]
    if cpu:
        panels.append(("CPU time an item", "ns", [("", cpu)]))
    yield ("waits", "Fairness: the wait of an item", "A queue that stays half full, and a thief of a million steals a "
           "second. The whiskers go from the median to 99.9 %. Shorter is better: a long wait is an item that the order "
           "forgot. CPU time is that of all threads.", bar_panels(panels, []))


QUEUE_PLOTS = [queue_push_and_pop, queue_throughput, queue_status, queue_latency, queue_waits]
