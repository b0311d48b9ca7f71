"""Drawing for queue_plots.py, job_plots.py and plots.py, which follow this file in one program.

Colours are sentinels that become CSS variables, so that one drawing serves the light and the dark page. Text stays text;
it is laid out with DejaVu Sans, which is wider than what browsers choose, so that nothing grows into its neighbour.
"""
import sys

sys.path = [place for place in sys.path if place]  # not the folder that the user happens to be in

import io
import json
import math
import re

try:
    import matplotlib
except ImportError:
    sys.exit(3)  # the caller looks for another Python, or says how to get it

matplotlib.use("svg")
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.transforms import IdentityTransform

WIDTH = 440  # user units, about CSS pixels: legible on a telephone and beside a table
INK, MUTED, GRID, PAPER = "#0a0b01", "#0a0b02", "#0a0b03", "#0a0b04"
SERIES = ["#0a0b1%d" % i for i in range(1, 9)]
GREY = "#0a0b10"
VARIABLES = {INK: "--ink", MUTED: "--muted", GRID: "--grid", PAPER: "--paper", GREY: "--series-0"}
VARIABLES.update({colour: "--series-%d" % (i + 1) for i, colour in enumerate(SERIES)})
MARKERS = ["o", "s", "D", "^", "v", "P", "X", "h"]
SMALL, NORMAL = 10, 11

# A runtime looks the same in every plot.
RUNTIMES = {"ramie": 0, "tbb": 1, "go": 2, "rayon": 3, "openmp": 4, "tokio": 5, "boost_fiber": 6, "boost_context": 6,
            "std_thread": 7, "ucontext": 7, "crossbeam": 3}
GREYS = {"control", "plain_call", "plain_ring"}
SECONDS = {"ns", "us", "µs", "ms", "s", "cycles"}
# Suites of single operations: more workers do not share their work.
NOT_SCALING = {"switch", "million", "contention", "migration", "queues", "scaling"}
OFF = "_stealing_off"

matplotlib.rcParams.update({"svg.fonttype": "none", "font.family": "DejaVu Sans", "font.size": SMALL,
                            "axes.unicode_minus": False})
if "text.parse_math" in matplotlib.rcParams:
    matplotlib.rcParams["text.parse_math"] = False  # a "$" in a name is a "$"


# --- what the rows say ---------------------------------------------------------------------------------------------

def number(value):
    """12,345 as 12.3k; at most four characters of digits."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size * 0.99995:
            return ("%.3g" % (value / size)) + letter if abs(value) < size * 1000 else "%.2g" % value
    return "%.3g" % value


def share(value):
    if 0 < value < 0.001:
        return "%.2g %%" % (value * 100)
    return "%.0f %%" % (value * 100) if value >= 0.095 else "%.1f %%" % (value * 100)


def unique(values):
    return list(dict.fromkeys(values))


def usable(row):
    values = (row.get("median"), row.get("min"), row.get("max"))
    return row.get("verified") and all(isinstance(v, (int, float)) and v > 0 for v in values)


def higher_is_better(unit):
    return "/" in unit and unit.rsplit("/", 1)[1].strip() in ("s", "us", "µs", "ms", "ns")


def style(runtime, others):
    if runtime in GREYS:
        return GREY
    if runtime in RUNTIMES:
        return SERIES[RUNTIMES[runtime]]
    return SERIES[1 + others.index(runtime) % 7]


def speedups(rows):
    """[(workers, speed-up)] against the first row, which must have one worker; of the first queue only."""
    rows = [r for r in rows if r["queue"] == rows[0]["queue"]]
    one = [r for r in rows if r["workers"] == 1]
    if not one or len(unique(r["workers"] for r in rows)) < 2:
        return []
    base = one[0]["median"]
    return sorted((r["workers"], base / r["median"]) for r in rows)


def numbered(stats, prefix):
    """The statistics prefix_0, prefix_1 ... as [(number, value)]."""
    found = [(int(m.group(1)), value) for name, value in stats.items()
             for m in [re.fullmatch(re.escape(prefix) + r"_(\d+)", name)] if m]
    return sorted(found)


def counted(n, word):
    return "%d %s%s" % (n, word, "" if n == 1 else "s")


# --- drawing -------------------------------------------------------------------------------------------------------

class Canvas:
    """A figure in user units with the origin at the upper left."""

    def __init__(self, height):
        self.height = height
        self.figure = Figure(figsize=(WIDTH / 72, height / 72), dpi=72)
        self.figure.patch.set_alpha(0)

    def axes(self, left, top, width, height):
        axes = self.figure.add_axes([left / WIDTH, 1 - (top + height) / self.height, width / WIDTH,
                                     height / self.height])
        axes.patch.set_alpha(0)
        for side in ("top", "right", "left", "bottom"):
            axes.spines[side].set_visible(side == "bottom")
            axes.spines[side].set_color(MUTED)
            axes.spines[side].set_linewidth(0.8)
        axes.tick_params(length=0, colors=MUTED, labelcolor=INK, labelsize=SMALL, pad=5)
        axes.set_axisbelow(True)
        axes.minorticks_off()
        return axes

    def text(self, x, top, words, size=SMALL, color=INK, **how):
        how.setdefault("va", "center")
        self.figure.text(x / WIDTH, 1 - top / self.height, words, fontsize=size, color=color, **how)

    def line(self, xs, tops, **how):
        self.figure.add_artist(Line2D(xs, [self.height - t for t in tops], transform=IdentityTransform(), **how))

    def marks(self, left, top, entries):
        """A legend of (colour, marker, words); wraps. Returns the top of what comes below it."""
        x = left
        for colour, marker, words in entries:
            wide = 18 + len(words) * 6.5
            if x + wide > WIDTH and x > left:
                x, top = left, top + 16
            self.line([x + 5], [top], marker=marker, color=colour, markersize=6, linestyle="none")
            self.text(x + 14, top, words)
            x += wide + 10
        return top + 16

    def svg(self, name):
        matplotlib.rcParams["svg.hashsalt"] = name
        out = io.StringIO()
        self.figure.savefig(out, format="svg", dpi=72, metadata={"Date": None, "Creator": None})
        return inline(out.getvalue(), name)


def inline(svg, name):
    """An SVG file as an element of a page: ids of its own, colours and fonts of the page."""
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.S)
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
    svg = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", svg, count=1, flags=re.S)
    view = re.search(r'viewBox="([^"]*)"', svg).group(1)
    svg = re.sub(r"<svg[^>]*>", '<svg xmlns="http://www.w3.org/2000/svg" '
                 'xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="%s">' % view, svg, count=1)
    svg = re.sub(r'\bid="([^"]*)"', r'id="%s-\1"' % name, svg)
    svg = re.sub(r'(xlink:href="|url\()#', r"\1#%s-" % name, svg)
    svg = re.sub(r"font: ((?:bold |[67]00 )?[\d.]+px)[^;\"]*", r"font: \1 var(--sans)", svg)
    for colour, variable in VARIABLES.items():
        svg = svg.replace(colour, "var(%s)" % variable)
    return re.sub(r"\n\s*", "\n", svg).strip()


def worker_axis(axes, workers, log):
    """Workers along x; doubling steps where there are many."""
    ticks = unique(workers)
    if log:
        axes.set_xscale("log", base=2)
        axes.set_xlim(min(ticks) / 1.12, max(ticks) * 1.12)
        ticks = [t for t in ticks if math.log2(t) == int(math.log2(t))] or ticks
    else:
        margin = 0.08 * max(1, max(ticks) - min(ticks))
        axes.set_xlim(min(ticks) - margin, max(ticks) + margin)
    axes.set_xticks(ticks)
    axes.set_xticklabels([str(t) for t in ticks])
    axes.minorticks_off()


def spread(wanted, low, high, gap):
    """Positions near the wanted ones, in [low, high] where they fit, `gap` apart."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    places = [0.0] * len(wanted)
    previous = -math.inf
    for i in order:
        places[i] = previous = max(wanted[i], previous + gap, low)
    ceiling = high
    for i in reversed(order):
        places[i] = ceiling = min(places[i], ceiling)
        ceiling -= gap
    return places


def labelled_lines(canvas, axes, box, lines):
    """Lines with their names at the right end. lines: [(name, [(x, y)], colour, marker)]. box: left, top, width, height."""
    left, top, width, height = box
    for i, (_, points, colour, marker) in enumerate(lines):
        axes.plot([x for x, _ in points], [y for _, y in points], color=colour, marker=marker, markersize=5,
                  linewidth=1.8, linestyle="-" if i < 8 else (0, (4, 1.5)), markeredgecolor=PAPER, markeredgewidth=0.6,
                  clip_on=False, zorder=3)
    ends = [axes.transData.transform(points[-1]) for _, points, _, _ in lines]
    tops = spread([canvas.height - y for _, y in ends], top, top + height, 13)
    for (name, _, colour, _), (x, y), place in zip(lines, ends, tops):
        edge = left + width + 8
        canvas.line([x + 4, edge, edge + 10], [canvas.height - y, place, place], color=colour, linewidth=0.7)
        canvas.text(edge + 14, place, name)


def label_space(names):
    return min(170, 24 + max(len(n) for n in names) * 6.3)


def speedup_plot(named, height_least):
    """named: [(name, [(workers, speed-up)], colour, marker)]."""
    workers = sorted(unique(x for _, points, _, _ in named for x, _ in points))
    log = max(workers) > 8
    top, left = 30, 34
    height = max(height_least, 13 * len(named))
    canvas = Canvas(top + height + 40)
    width = WIDTH - left - label_space([n for n, *_ in named] + ["ideal"])
    axes = canvas.axes(left, top, width, height)
    worker_axis(axes, workers, log)
    lows = [y for _, points, _, _ in named for _, y in points]
    most = max(max(workers), max(lows))
    if log:
        axes.set_yscale("log", base=2)
        axes.set_ylim(min(min(lows), 1) / 1.1, most * 1.1)
        ticks = [2 ** i for i in range(math.floor(math.log2(min(lows + [1]))), math.ceil(math.log2(most)) + 1)]
        axes.set_yticks([t for t in ticks if min(lows + [1]) / 1.1 <= t <= most * 1.1])
        axes.minorticks_off()
    else:
        axes.set_ylim(0, most * 1.05)
        axes.set_yticks(range(0, math.floor(most * 1.05) + 1, 1 if most < 9 else 2))
    axes.set_yticklabels(["%g×" % t for t in axes.get_yticks()])
    axes.grid(axis="y", color=GRID, linewidth=0.8)
    axes.plot([1, max(workers)], [1, max(workers)], color=MUTED, linewidth=1, linestyle=(0, (2, 2)), zorder=1)
    labelled_lines(canvas, axes, (left, top, width, height), named)
    canvas.text(left + width, 10, "dotted: ideal", color=MUTED, ha="right")
    canvas.text(0, 10, "speed-up", weight="bold")
    canvas.text(left + width / 2, top + height + 28, "workers", color=MUTED, ha="center")
    return canvas


def bar_panels(panels, others, left_least=0):
    """Horizontal bars. panels: [(title, unit, [(heading, [(label, runtime, median, min, max)])])]."""
    labels = [label for _, _, groups in panels for _, bars in groups for label, *_ in bars]
    left = max(left_least, min(150, 12 + max(len(x) for x in labels) * 6.4))
    room = 48  # for the figure at the end of a bar
    step, heading_step, title_step, gap = 18, 19, 24, 12
    boxes, height = [], 0
    for _, _, groups in panels:
        lines = sum(len(bars) * step + (heading_step if heading else 0) for heading, bars in groups)
        values = [v for _, bars in groups for _, _, m, low, high in bars for v in (low, high)]
        log = max(values) > 30 * min(values)
        boxes.append((height + title_step, lines, log, values))
        height += title_step + lines + (18 if log else 0) + gap
    canvas = Canvas(height)
    width = WIDTH - left - 4
    for (title, unit, groups), (top, lines, log, values) in zip(panels, boxes):
        axes = canvas.axes(left, top, width, lines)
        axes.spines["bottom"].set_visible(False)
        axes.set_ylim(lines, 0)
        axes.set_yticks([])
        if log:
            low = 10 ** math.floor(math.log10(min(values)) - 0.1)
            axes.set_xscale("log")
            axes.set_xlim(low, low * (max(values) / low) ** (width / (width - room)))
            decades = [10.0 ** i for i in range(round(math.log10(low)), math.floor(math.log10(max(values))) + 1)]
            decades = decades[::max(1, math.ceil(len(decades) / 6))]
            axes.set_xticks(decades)
            axes.set_xticklabels([number(d) for d in decades])
            axes.minorticks_off()
            axes.tick_params(labelcolor=MUTED)
            axes.grid(axis="x", color=GRID, linewidth=0.8)
        else:
            low = 0
            axes.set_xlim(0, max(values) * width / (width - room))
            axes.set_xticks([])
        canvas.text(0, top - 14, title, NORMAL, weight="bold")
        canvas.text(WIDTH - 4, top - 14, unit + (", logarithmic" if log else ""), color=MUTED, ha="right")
        y = 0
        for heading, bars in groups:
            if heading:
                canvas.text(left, top + y + 10, heading, color=MUTED)
                y += heading_step
            for label, runtime, median, least, most in bars:
                middle = y + step / 2
                axes.barh(middle, median - low, left=low, height=12, color=style(runtime, others), linewidth=0)
                axes.plot([least, most], [middle, middle], color=INK, linewidth=1, marker="|", markersize=5,
                          markeredgewidth=1)
                end = axes.transData.transform((max(most, median), middle))[0]
                canvas.text(end + 6, top + middle, number(median))
                canvas.text(left - 6, top + middle, label, ha="right", weight="bold" if runtime == "ramie" else "normal")
                y += step
    return canvas
