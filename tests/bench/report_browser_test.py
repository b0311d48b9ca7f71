#!/usr/bin/env python3
"""Opens the report in a headless Chromium, light and dark, wide and narrow, and measures what a reader would see.

    report_browser_test.py RAMIE [FOLDER]     keeps page and screenshots in FOLDER

Every check is also made on a page broken on purpose, where it must complain. Exit status 77: no Chromium or no
matplotlib, nothing tested.
"""
import html
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

import report_fixture

SKIP = 77
RAMIE = ""
FOLDER = None

# Findings of the page as it is, then of each breakage, undone before the next.
CHECKS = r"""
const luminance = c => c.map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const parse = s => (s.match(/[\d.]+/g) || []).map(Number);
function background(e) {
  for (; e; e = e.parentElement) {
    const c = parse(getComputedStyle(e).backgroundColor);
    if (c.length === 3 || c[3] > 0.99) return c.slice(0, 3);
  }
  return [255, 255, 255];
}
function contrast(a, b) {
  const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
  return (x + 0.05) / (y + 0.05);
}
function findings() {
  const found = [];
  for (const name of EXPECTED) {
    const figure = document.getElementById(name), svg = figure && figure.querySelector('svg');
    const box = svg && svg.getBoundingClientRect();
    if (!box || box.width < 200 || box.height < 35) found.push('missing: ' + name);
    else if (!svg.querySelector('path') || !svg.getAttribute('aria-label')) found.push('empty: ' + name);
  }
  const ids = new Set();
  for (const e of document.querySelectorAll('[id]')) {
    if (ids.has(e.id)) found.push('id twice: ' + e.id);
    ids.add(e.id);
  }
  for (const e of document.querySelectorAll('use')) {
    const to = e.getAttribute('xlink:href') || e.getAttribute('href');
    if (!document.getElementById(to.slice(1))) found.push('no such id: ' + to);
  }
  for (const svg of document.querySelectorAll('figure svg')) {
    const edge = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll('text')].map(e => [e.textContent.trim(), e.getBoundingClientRect()]);
    texts.forEach(([a, p], i) => {
      if (p.left < edge.left - 1 || p.right > edge.right + 1 || p.top < edge.top - 1 || p.bottom > edge.bottom + 1)
        found.push('outside: ' + a + ' in ' + svg.parentElement.id);
      // Line boxes are higher than letters: two points of overlap are none to the eye.
      for (const [b, q] of texts.slice(i + 1))
        if (Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1 &&
            Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 2)
          found.push('overlap: ' + a + ' / ' + b + ' in ' + svg.parentElement.id);
    });
  }
  if (document.documentElement.scrollWidth > innerWidth) found.push('wide: ' + document.documentElement.scrollWidth);
  for (const e of document.querySelectorAll('body *')) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.nodeValue.trim())) continue;
    if (e.closest('defs') || e.closest('script') || !e.getClientRects().length) continue;
    const style = getComputedStyle(e);
    const colour = parse(e.closest('svg') ? style.fill : style.color).slice(0, 3);
    if (contrast(colour, background(e)) < 4.5) found.push('contrast: ' + e.textContent.trim().slice(0, 30));
  }
  return found;
}
const text = () => document.querySelectorAll('#plot-balanced-bars text');
const broken = {
  missing: () => { const e = document.getElementById('plot-balanced-bars'); e.style.display = 'none';
                   return () => { e.style.display = ''; }; },
  overlap: () => { const e = text()[1], old = e.getAttribute('transform'), at = text()[0];
                   const copy = at.cloneNode(true); at.after(copy); return () => copy.remove(); },
  outside: () => { const e = text()[0], copy = e.cloneNode(true);
                   copy.setAttribute('transform', 'translate(-300 0)'); e.after(copy); return () => copy.remove(); },
  wide: () => { const e = document.createElement('div'); e.style.width = '3000px'; e.textContent = 'x';
                document.body.append(e); return () => e.remove(); },
  contrast: () => { document.body.style.setProperty('--muted', '#808080');
                    return () => document.body.style.removeProperty('--muted'); },
  'id twice': () => { const e = document.createElement('p'); e.id = 'overview'; document.body.append(e);
                      return () => e.remove(); },
};
addEventListener('load', () => {
  const result = {clean: findings(), broken: {}, height: document.documentElement.scrollHeight, width: innerWidth};
  for (const [name, damage] of Object.entries(broken)) {
    const repair = damage();
    result.broken[name] = findings().filter(f => f.startsWith(name)).length;
    repair();
  }
  result.after = findings().length;
  parent.postMessage(JSON.stringify(result), '*');
});
"""

# A window of Chromium is at least 500 pixels wide; a frame is as narrow as a telephone.
FRAME = """<!DOCTYPE html><style>body{margin:0}iframe{border:0;width:%dpx;height:%dpx;display:block}</style>
<pre id="result"></pre><script>addEventListener('message', e => {
document.getElementById('result').textContent = e.data; document.getElementById('result').hidden = true; });</script>
<iframe src="%s"></iframe>"""


def pixels(file):
    """The bytes of a PNG's rows, filters undone only as far as comparing needs: not at all."""
    data, at, packed = file.read_bytes(), 8, b""
    while at < len(data):
        size, = struct.unpack(">I", data[at:at + 4])
        if data[at + 4:at + 8] == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += 12 + size
    return zlib.decompress(packed)


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(FOLDER or tempfile.mkdtemp(prefix="ramie-report."))
        saved = cls.folder / "run.json"
        saved.write_text(json.dumps(report_fixture.fixture()))
        done = subprocess.run([RAMIE, "report", saved, cls.folder / "page of all"], check=True, text=True,
                              stdout=subprocess.PIPE)
        cls.said = done.stdout
        cls.page = (cls.folder / "page of all" / "index.html").read_text()
        (cls.folder / "few.json").write_text(json.dumps(report_fixture.fixture([1, 2])))
        subprocess.run([RAMIE, "report", cls.folder / "few.json", cls.folder / "few"], check=True,
                       stdout=subprocess.DEVNULL)
        cls.few = (cls.folder / "few" / "index.html").read_text()

    @classmethod
    def tearDownClass(cls):
        if not FOLDER:
            shutil.rmtree(cls.folder)

    def chromium(self, dark, *how):
        profile = tempfile.mkdtemp(prefix="ramie-chromium.")
        self.addCleanup(shutil.rmtree, profile, ignore_errors=True)
        return subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                               "--user-data-dir=" + profile, "--virtual-time-budget=3000",
                               "--blink-settings=preferredColorScheme=%d" % (0 if dark else 1), *how],
                              check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=600).stdout

    def look(self, page, width, dark, name):
        expected = re.findall(r'<figure class="plot" id="([^"]+)"', page)
        script = "<script>const EXPECTED = %s;\n%s</script></body>" % (json.dumps(expected), CHECKS)
        inner = self.folder / (name + "-inner.html")
        inner.write_text(page.replace("</body>", script))
        outer = self.folder / (name + ".html")
        outer.write_text(FRAME % (width, 1000, inner.name))
        dom = self.chromium(dark, "--window-size=1280,1000", "--dump-dom", outer.as_uri()).decode()
        found = re.search(r'<pre id="result"[^>]*>(.*?)</pre>', dom, re.S).group(1)
        result = json.loads(html.unescape(found))
        self.assertEqual(result["width"], width)
        self.assertEqual(result["clean"], [], "\n".join(result["clean"][:40]))
        for breakage, complaints in result["broken"].items():
            self.assertGreater(complaints, 0, "nothing complained of: " + breakage)
        self.assertEqual(result["after"], 0)
        if FOLDER:
            inner.write_text(page)
            height = min(16000, int(result["height"]))
            outer.write_text(FRAME % (width, height, inner.name))
            self.chromium(dark, "--window-size=%d,%d" % (max(width, 500), height),
                          "--screenshot=%s" % (self.folder / (name + ".png")), outer.as_uri())

    def test_wide_light(self):
        self.look(self.page, 1280, False, "wide-light")

    def test_wide_dark(self):
        self.look(self.page, 1280, True, "wide-dark")

    def test_narrow_light(self):
        self.look(self.page, 420, False, "narrow-light")

    def test_narrow_dark_with_two_worker_counts(self):
        self.look(self.few, 420, True, "narrow-dark")

    def test_light_and_dark_are_two_pictures_of_something(self):
        files = [self.folder / name for name in ("shot-light.png", "shot-dark.png")]
        for dark, file in enumerate(files):
            self.chromium(bool(dark), "--window-size=1280,2000", "--screenshot=%s" % file,
                          (self.folder / "page of all" / "index.html").as_uri())
        light, dark = (pixels(f) for f in files)
        self.assertGreater(len(set(light)), 50, "blank")
        self.assertGreater(len(set(dark)), 50, "blank")
        self.assertNotEqual(light, dark)

    def test_every_kind_of_plot_is_there(self):
        for name in ("all-speedup", "all-peers", "switch-bars", "balanced-speedup-balanced", "balanced-steals",
                     "balanced-stealing-balanced", "heat-stealing-heat", "imbalanced-stealing-imbalanced",
                     "imbalanced-cycles", "contention-contention", "migration-migration", "scaling-scaling",
                     "queues-bars", "queues-push-and-pop", "queues-throughput-4b-1t", "queues-throughput-8b-5t",
                     "queues-status", "queues-steal-latency-1t", "queues-steal-latency-5t", "queues-waits",
                     "jobs-speedup-over-work"):
            self.assertIn('id="plot-%s"' % name, self.page)
            self.assertIn('id="plot-%s"' % name, self.few)
        self.assertNotIn("could not be drawn", self.page + self.few)

    def test_of_many_workloads_only_the_ends_have_plots_like_others(self):
        for row in ("empty", "work-100", "work-2000", "tree"):
            self.assertIn('id="plot-jobs-speedup-%s"' % row.replace("-", "_"), self.page)
        self.assertNotIn('id="plot-jobs-speedup-work_200"', self.page)

    def test_nothing_is_fetched(self):
        for page in (self.page, self.few):
            bare = re.sub(r'xmlns(:xlink)?="http://www\.w3\.org/[^"]*"', "", page)
            self.assertEqual(re.findall(r"https?://\S*", bare), [])
            self.assertEqual(re.findall(r"""(?:src|href)=["'](?!data:|#)[^"']*|@import|url\((?!#)[^)]*""", bare), [])

    def test_names_are_text_and_not_markup(self):
        self.assertNotIn("<b>&", self.page)
        self.assertNotIn("go<script>", self.page)
        self.assertIn("&lt;b&gt;&amp;&quot;row&quot;&lt;/b&gt;", self.page)

    def test_it_says_where_the_page_is(self):
        self.assertRegex(self.said, r"report: file:///\S*page%20of%20all/index\.html\n")


if __name__ == "__main__":
    RAMIE = sys.argv[1]
    if len(sys.argv) > 2:
        FOLDER = sys.argv[2]
        os.makedirs(FOLDER, exist_ok=True)
    if not shutil.which("chromium"):
        print("skipped: chromium is not installed (apt-get install chromium)")
        sys.exit(SKIP)
    pythons = [shutil.which("python3"), "/usr/bin/python3"]
    if not any(p and subprocess.run([p, "-c", "import matplotlib"], stderr=subprocess.DEVNULL, check=False).returncode == 0
               for p in pythons):
        print("skipped: matplotlib is not installed (apt-get install python3-matplotlib)")
        sys.exit(SKIP)
    unittest.main(argv=sys.argv[:1], verbosity=2)
